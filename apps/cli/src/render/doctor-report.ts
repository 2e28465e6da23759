/** The findings of `doctor` for people. Pure. */
import type { InvariantReport } from '@bullpen/contracts';
import type { Check, CheckStatus } from '../doctor/check.js';
import type { Colors } from '../io.js';
import { plural } from './format.js';
import { oneLine } from './plain-text.js';
import { wrap } from './width.js';

const NAME_WIDTH = 14;
const INDENT = ' '.repeat(NAME_WIDTH + 3);

/** One entry for each check, with its fix below, and a verdict at the end. */
export function doctorReport(checks: readonly Check[], width: number, colors: Colors): string {
  const failed = checks.filter((check) => check.status === 'fail').length;
  const verdict =
    failed === 0
      ? colors.green('Everything that is needed is there.')
      : colors.red(`${plural(failed, 'problem')} to solve.`);
  return [...checks.map((check) => checkLines(check, width, colors)), '', verdict].join('\n');
}

/** One entry for each invariant, with examples of what breaks it. */
export function invariantReport(reports: readonly InvariantReport[], width: number, colors: Colors): string {
  const broken = reports.filter((report) => !report.holds).length;
  const idle = reports.filter(hasNothing).length;
  const lines = reports.flatMap((report) => [
    `${glyph(statusOf(report), colors)} ${colors.bold(report.id.padEnd(4))} ${oneLine(report.title)} ${colors.dim(`(${checkedText(report)})`)}`,
    ...report.violations.flatMap((text) =>
      wrap(oneLine(text), width - 7).map((line) => colors.red(`       ${line}`)),
    ),
  ]);
  const verdict =
    broken === 0
      ? colors.green(`All invariants hold${idle === 0 ? '' : `; ${idle} had nothing to check yet`}.`)
      : colors.red(`${plural(broken, 'invariant')} broken.`);
  return [...lines, '', verdict].join('\n');
}

/** There is no row to check: no task was ever cancelled, nobody was ever asked. */
function hasNothing({ holds, checked }: InvariantReport): boolean {
  return holds && checked === 0;
}

function statusOf(report: InvariantReport): CheckStatus {
  if (!report.holds) return 'fail';
  return hasNothing(report) ? 'info' : 'ok';
}

function checkedText(report: InvariantReport): string {
  return hasNothing(report) ? 'nothing to check yet' : `${plural(report.checked, 'row')} checked`;
}

function checkLines(check: Check, width: number, colors: Colors): string {
  const room = width - INDENT.length;
  const [first = '', ...rest] = wrap(oneLine(check.proof), room);
  // What is only good to know needs no mending.
  const label = check.status === 'info' ? 'hint' : 'fix';
  const fix =
    check.fix === undefined
      ? []
      : wrap(`${label}: ${oneLine(check.fix)}`, room).map((line) => colors.cyan(line));
  return [
    `${glyph(check.status, colors)} ${colors.bold(check.name.padEnd(NAME_WIDTH))} ${first}`,
    ...[...rest, ...fix].map((line) => INDENT + line),
  ].join('\n');
}

function glyph(status: CheckStatus, colors: Colors): string {
  return { ok: colors.green('✓'), info: colors.dim('·'), warn: colors.yellow('!'), fail: colors.red('✗') }[
    status
  ];
}
