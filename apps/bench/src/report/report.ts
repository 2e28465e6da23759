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

/** The machine, then one row a measure, then the notes. */
export function renderResult(report: Report): string {
  const { machine } = report;
  const rows = report.measures.map((one) => [
    one.figure,
    one.backend ?? '-',
    one.what,
    `${shown(one.value)} ${one.unit}`,
    one.peer === null ? '-' : `${one.peer.name}: ${peerText(one.peer, one.unit)}`,
    one.ratio === null ? '-' : `${shown(one.ratio)}x`,
    one.goal === null ? '-' : goalText(one.goal, one.unit),
    one.met === null ? '-' : one.met ? 'met' : '**not met**',
  ]);
  const notes = [...new Set(report.measures.flatMap(notesOf))];
  return [
    `${report.startedAt}, ${shown(report.durationS)} s${report.quick ? ', quick (small counts: an indication only)' : ''}.`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB; Node ${machine.node}, PostgreSQL ${machine.postgres}, ` +
      `${machine.redis === null ? 'no Redis' : `Redis ${machine.redis}`}.`,
    `fsync probe: ${shown(machine.fsyncsPerSecond)}/s before, ${shown(report.fsyncsPerSecondAfter)}/s after; load average ${shown(report.loadBefore)} before, ${shown(report.loadAfter)} after.`,
    '',
    table(
      ['figure', 'backend', 'what', 'value', 'beside it, in the same run', 'ratio', 'goal', 'verdict'],
      rows,
    ),
    ...(notes.length === 0 ? [] : ['', ...notes]),
    ...report.failures.flatMap(({ figure, message }) => [
      '',
      `**${figure} could not be measured:** ${message}`,
    ]),
  ].join('\n');
}

/** How it was measured, and what is unequal between the two that stand in its line. */
function notesOf({ figure, note, peer }: Measure): string[] {
  return [
    ...(note === null ? [] : [`- ${figure}: ${note}`]),
    ...(peer?.unequal === undefined ? [] : [`- ${figure}, unequal to ${peer.name}: ${peer.unequal}`]),
  ];
}

function peerText({ value, problem }: Peer, unit: string): string {
  return value === null ? (problem ?? 'not measured') : `${shown(value)} ${unit}`;
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
