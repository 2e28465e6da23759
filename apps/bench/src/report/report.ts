/** The result of a run, for machines and for people. */
import type { Machine } from './machine.js';
import type { Goal, Measure, Peer } from './measure.js';

export interface Report {
  readonly startedAt: string;
  readonly durationS: number;
  readonly quick: boolean;
  readonly machine: Machine;
  /** The same probe at the end: a disk whose speed changed in between explains odd ratios. */
  readonly fsyncsPerSecondAfter: number;
  /** Processes that wanted a core, on average over a minute, before and after: more than there are cores, and times mean little. */
  readonly loadBefore: number;
  readonly loadAfter: number;
  readonly measures: readonly Measure[];
  /** Figures that could not be measured, and why. */
  readonly failures: readonly { readonly figure: string; readonly message: string }[];
}

/** The report as a Markdown document. */
export function renderMarkdown(report: Report): string {
  return `# Bench\n\n${renderResult(report)}\n`;
}

/** The machine, then one row for each value with all that stands beside it, then the notes. */
export function renderResult(report: Report): string {
  const { machine } = report;
  const rows = groups(report.measures, ({ figure, backend, what }) => [figure, backend, what]).map(rowOf);
  return [
    `${report.startedAt}, ${shown(report.durationS)} s${report.quick ? ', quick (small counts: an indication only)' : ''}.`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB; Node ${machine.node}, PostgreSQL ${machine.postgres}, ` +
      `${machine.redis === null ? 'no Redis' : `Redis ${machine.redis}`}.`,
    `fsync probe: ${shown(machine.fsyncsPerSecond)}/s before, ${shown(report.fsyncsPerSecondAfter)}/s after; load average ${shown(report.loadBefore)} before, ${shown(report.loadAfter)} after.`,
    '',
    table(
      ['figure', 'backend', 'what', 'value', 'beside it, in the same run (value over it)', 'goal: verdict'],
      rows,
    ),
    ...section(notesOf(report.measures)),
    ...report.failures.flatMap(({ figure, message }) => [
      '',
      `**${figure} could not be measured:** ${message}`,
    ]),
  ].join('\n');
}

function rowOf(measures: readonly [Measure, ...Measure[]]): readonly string[] {
  const [{ figure, backend, what, value, unit }] = measures;
  const beside = measures.flatMap(({ peer, ratio }) => (peer === null ? [] : [peerText(peer, ratio)]));
  const goals = measures.flatMap((one) => (one.goal === null ? [] : [verdictText(one.goal, one)]));
  return [figure, backend ?? '-', what, `${shown(value)} ${unit}`, listed(beside), listed(goals)];
}

const listed = (parts: readonly string[]): string => (parts.length === 0 ? '-' : parts.join('; '));

/** How it was measured, and what is unequal between the two that stand in a row; each once. */
function notesOf(measures: readonly Measure[]): string[] {
  const how = measures.flatMap(({ figure, note }) => (note === null ? [] : [`- ${figure}: ${note}`]));
  const beside = measures.flatMap(({ figure, peer }) =>
    peer?.unequal === undefined ? [] : [{ figure, name: peer.name, why: peer.unequal }],
  );
  const unequal = groups(beside, ({ figure, why }) => [figure, why]).map((same) => {
    const [{ figure, why }] = same;
    return `- ${figure}, unequal to ${[...new Set(same.map(({ name }) => name))].join(', ')}: ${why}`;
  });
  return [...new Set(how), ...unequal];
}

const section = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ['', ...lines]);

/** Those with equal keys together, in the order of the first of each. */
function groups<T>(all: readonly T[], keyOf: (one: T) => unknown): [T, ...T[]][] {
  const found = new Map<string, [T, ...T[]]>();
  for (const one of all) {
    const key = JSON.stringify(keyOf(one));
    const group = found.get(key);
    if (group) group.push(one);
    else found.set(key, [one]);
  }
  return [...found.values()];
}

function peerText({ name, value, problem }: Peer, ratio: number | null): string {
  if (value === null) return `${name}: ${problem ?? 'not measured'}`;
  return `${name}: ${shown(value)}${ratio === null ? '' : ` (${shown(ratio)}x)`}`;
}

function verdictText(goal: Goal, { unit, peer, met }: Measure): string {
  const verdict = met === null ? 'not judged' : met ? 'met' : '**not met**';
  return `${goalText(goal, unit)}${goal.of === 'ratio' && peer ? ` of ${peer.name}` : ''}: ${verdict}`;
}

function goalText(goal: Goal, unit: string): string {
  const bound =
    'atMost' in goal
      ? `<= ${shown(goal.atMost)}`
      : 'atLeast' in goal
        ? `>= ${shown(goal.atLeast)}`
        : shown(goal.exactly);
  return goal.of === 'ratio' ? `${bound}x` : `${bound} ${unit}`;
}

/** Three figures are as many as a noisy machine can mean; large numbers whole, with separators. */
export function shown(value: number): string {
  if (value === 0) return '0';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, at) => Math.max(3, ...cells.map((row) => row[at]?.length ?? 0)));
  // As wide as Prettier makes them: the table may stand in a document that it checks.
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [first = [], ...others] = cells;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n');
}
