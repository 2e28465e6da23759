/** cp and mv: the last operand, or the one after -t, is written; what moves is written too, as it goes away. */
import { globMayNameObeyed, isObeyed } from '../file-names.js';
import { joinPath, judgePath, tidyPath } from '../paths.js';
import { finding, type Finding } from '../rules.js';
import { noteWrite } from '../schema/judge-use.js';
import type { ProgramUse } from '../schema/program-schema.js';
import type { Arg } from '../words.js';

/** Findings on the targets of a copy or move; the sources have been judged as read. */
export function judgeCopy({ program, flags, operands, state, part }: ProgramUse): Finding[] {
  const given = flags.find(({ name }) => name === '-t' || name === '--target-directory');
  const target = given?.arg ?? operands.at(-1);
  const targetPath = given?.value ?? target?.value;
  const sources = given === undefined ? operands.slice(0, -1) : operands;
  const [firstSource] = sources;
  if (target === undefined || targetPath === undefined || firstSource === undefined) return [];
  const findings: Finding[] = [];
  if (operands.some((arg) => arg.value === '-' || arg.value.startsWith('/dev/'))) {
    const device = operands.find((arg) => arg.value === '-' || arg.value.startsWith('/dev/')) as Arg;
    const isLoss = program === 'mv' || device === target;
    const rule = isLoss && device.value === '/dev/null' ? 'dangerous.delete' : 'dangerous.device';
    findings.push(
      finding(rule, `${program} to or from ${device.value} is not a copy between files.`, device.span),
    );
  }
  if (target.kind !== 'literal') {
    findings.push(finding('subset.glob', `It is not clear where ${target.span.text} leads.`, target.span));
  }
  findings.push(...noteWrite(target, targetPath, part, state));
  for (const source of sources) findings.push(...judgeSource(program, source, targetPath, target));
  if (program === 'mv') findings.push(...sources.flatMap((source) => judgeRemoval(source, { state })));
  // The findings above stand for this command; from here on its target may be, or hold, a link.
  const copiesLinks = program === 'mv' || flags.some(({ name }) => COPIES_LINKS.has(name));
  if (copiesLinks) {
    for (const folder of state.folders) state.moved.push(tidyPath(joinPath(folder, targetPath)));
    if (program === 'mv') {
      for (const source of sources) {
        for (const folder of state.folders) state.moved.push(tidyPath(joinPath(folder, source.value)));
      }
    }
  }
  return findings;
}

const COPIES_LINKS = new Set([
  '-r',
  '-R',
  '-a',
  '-d',
  '-P',
  '--recursive',
  '--archive',
  '--no-dereference',
  '--preserve',
]);

function judgeRemoval(source: Arg, { state }: Pick<ProgramUse, 'state'>): Finding[] {
  if (source.kind !== 'literal') {
    return [
      finding('subset.glob', `It is not clear which files ${source.span.text} moves away.`, source.span),
    ];
  }
  const found = judgePath(source, source.value, 'write', state);
  return found === null ? [] : [found];
}

/** A source keeps its name in the target folder, and a folder's content may hold any name. */
function judgeSource(program: string, source: Arg, targetPath: string, target: Arg): Finding[] {
  const name = source.value.replace(/\/+$/, '').split('/').at(-1) ?? '';
  if (name === '.' || name === '..' || name === '') {
    return [
      finding(
        'path.protected',
        `${program} with a whole folder's content can replace protected files.`,
        source.span,
      ),
    ];
  }
  const isObeyedName = source.kind === 'glob' ? globMayNameObeyed(name) : isObeyed(name);
  if (isObeyedName) {
    const message = `${source.span.text} can become a protected file in ${targetPath}.`;
    return [finding('path.protected', message, source.kind === 'glob' ? source.span : target.span)];
  }
  return [];
}
