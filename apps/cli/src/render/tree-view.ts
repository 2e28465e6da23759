/** A tree of tasks as lines of a terminal: for one glance while it runs, and to look back on. Pure. */
import type { TaskNode, TreeModel } from '@bullpen/client';
import { isTerminal, usdOf, type TaskState } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { activityText } from './activity.js';
import { count, duration, plural, promptTokens, usd } from './format.js';
import { oneLine } from './plain-text.js';
import { stateGlyph, stateWords } from './state.js';
import { WORKER_LOST } from './takeover.js';
import { padEnd, padStart, truncate, widthOf } from './width.js';

export interface TreeViewOptions {
  /** Columns; no line is wider. */
  readonly width: number;
  /** Most lines; ended tasks give way first. */
  readonly height: number;
  readonly colors: Colors;
  /** Milliseconds since 1970, for what is still running. */
  readonly now: number;
  /** Whether running tasks turn. */
  readonly animate: boolean;
  /** Shown in the last line, such as `simulated`. */
  readonly note?: string;
}

type Row = ReturnType<TreeModel['rows']>[number];

const NUMBERS_HEAD = ['turns', 'tokens', 'cost', 'time'] as const;
const NUMBER_WIDTHS = [5, 7, 8, 8] as const;
const NUMBERS_WIDTH = NUMBER_WIDTHS.reduce((sum, width) => sum + width + 1, 0);
/** In fewer columns only the time is shown beside the task. */
const ROOM_FOR_NUMBERS = 64;
const LONGEST_TITLE = 40;
/** Columns of a row beside title and what it does: the glyph and the spaces. */
const GAPS = 4;

/** The tree with a head and a totals line. Empty while nothing is known of the root. */
export function renderTree(model: TreeModel, options: TreeViewOptions): string[] {
  const rows = model.rows();
  if (rows.length === 0) return [];
  const { shown, hidden } = fitRows(rows, options.height - 3);
  const labels = Math.max(...shown.map(labelWidth));
  const whole = labels + Math.max(...shown.map(({ node }) => widthOf(doingText(node)))) + GAPS;
  // For a program nothing is cut.
  const isWhole = options.width === Infinity;
  const left = isWhole ? whole : Math.max(10, options.width - numbersWidth(options.width));
  const titleWidth = isWhole ? labels : Math.min(LONGEST_TITLE, labels, Math.ceil(left * 0.6));
  return [
    head(left, options),
    ...shown.map((row) => rowLine(row, left, titleWidth, options)),
    ...(hidden > 0 ? [options.colors.dim(`  … and ${plural(hidden, 'more task')}`)] : []),
    totalsLine(model, options),
  ];
}

/** How many tasks are in which state, in the order of a task's life: `12 tasks: 3 running, 9 completed`. */
function stateCounts(byState: ReadonlyMap<TaskState, number>, tasks: number): string {
  const order: TaskState[] = ['running', 'waiting', 'queued', 'paused', 'completed', 'failed', 'cancelled'];
  const parts = order.flatMap((state) => (byState.has(state) ? [`${byState.get(state)} ${state}`] : []));
  return `${plural(tasks, 'task')}: ${parts.join(', ')}`;
}

/** When there is no room for all, what still works is shown before what has ended; the root always. */
function fitRows(rows: readonly Row[], room: number): { shown: readonly Row[]; hidden: number } {
  if (rows.length <= room) return { shown: rows, hidden: 0 };
  const lines = Math.max(1, room - 1);
  const active = rows.filter(({ node, depth }) => depth === 0 || !isTerminal(node.state)).slice(0, lines);
  const ended = rows.filter(({ node, depth }) => depth > 0 && isTerminal(node.state));
  const chosen = new Set([...active, ...ended.slice(ended.length - (lines - active.length))].slice(0, lines));
  return { shown: rows.filter((row) => chosen.has(row)), hidden: rows.length - chosen.size };
}

function head(left: number, { width, colors }: TreeViewOptions): string {
  const names = width < ROOM_FOR_NUMBERS ? [...NUMBERS_HEAD.slice(-1)] : [...NUMBERS_HEAD];
  return colors.dim(padEnd('task', left) + numberCells(names, width));
}

function rowLine(row: Row, left: number, titleWidth: number, options: TreeViewOptions): string {
  const { colors, now, width } = options;
  const { node } = row;
  const branch = branchOf(row.path);
  const glyph = stateGlyph(node.state, colors, options.animate ? now : undefined);
  const title = padEnd(
    truncate(oneLine(node.title), titleWidth - widthOf(branch)),
    titleWidth - widthOf(branch),
  );
  const used = widthOf(branch) + 2 + widthOf(title);
  const doing = truncate(doingText(node), left - used - 2);
  const text = `${colors.dim(branch)}${glyph} ${title}  ${doing === '' ? '' : colors.dim(doing)}`;
  return padEnd(text, left) + colors.dim(numberCells(numbersOf(node, now, width), width));
}

function labelWidth(row: Row): number {
  return widthOf(branchOf(row.path)) + widthOf(oneLine(row.node.title));
}

function branchOf(path: readonly boolean[]): string {
  return path
    .map((isLast, index) => (index < path.length - 1 ? (isLast ? '   ' : '│  ') : isLast ? '└─ ' : '├─ '))
    .join('');
}

function doingText(node: TaskNode): string {
  if (node.state === 'running') return activityText(node.activity) + fullness(node);
  if (node.isOrphan) return WORKER_LOST;
  if (node.state === 'failed' && node.failure !== null) return oneLine(node.failure);
  return stateWords(node.state, node.waitReason, node.stopCause);
}

function numbersOf(node: TaskNode, now: number, width: number): string[] {
  const time = node.startedAt === null ? '' : duration((node.endedAt ?? now) - node.startedAt);
  if (width < ROOM_FOR_NUMBERS) return [time];
  const tokenCount = promptTokens(node.usage) + node.usage.outputTokens;
  return [String(node.turns || ''), tokenCount === 0 ? '' : count(tokenCount), costOf(node), time];
}

/** From half on, a person may want to know how full the window is. */
function fullness({ context }: TaskNode): string {
  return context === null || context.share < 0.5
    ? ''
    : ` · context ${Math.round(context.share * 100)} % full`;
}

function costOf(node: TaskNode): string {
  return node.costNanoUsd === 0n ? '' : usd(usdOf(node.costNanoUsd));
}

function numbersWidth(width: number): number {
  return width < ROOM_FOR_NUMBERS ? NUMBER_WIDTHS[3] + 1 : NUMBERS_WIDTH;
}

function numberCells(cells: readonly string[], width: number): string {
  const widths = width < ROOM_FOR_NUMBERS ? NUMBER_WIDTHS.slice(3) : NUMBER_WIDTHS;
  return cells.map((cell, index) => ` ${padStart(cell, widths[index] ?? 0)}`).join('');
}

function totalsLine(model: TreeModel, options: TreeViewOptions): string {
  const totals = model.totals();
  const root = model.root;
  const elapsed = root ? duration((root.endedAt ?? options.now) - root.createdAt) : '';
  const tokens = `${count(promptTokens(totals.usage))} in, ${count(totals.usage.outputTokens)} out`;
  const parts = [stateCounts(totals.byState, totals.tasks), usd(totals.costUsd), elapsed, tokens];
  const { workers } = totals.losses;
  if (workers > 0) parts.push(`${plural(workers, 'worker')} lost`);
  if (options.note) parts.push(options.note);
  return options.colors.bold(truncate(parts.join(' · '), options.width));
}
