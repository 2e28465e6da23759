/** Everything about one task, readable. Pure. */
import {
  sandboxText,
  type AttemptView,
  type Briefing,
  type RuleFile,
  type TaskUsageView,
  type TaskView,
  type TodoItem,
  type TransitionsView,
} from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { contextDetails } from './context-gauge.js';
import { ago, count, duration, plural, tokens, usd } from './format.js';
import { outputText } from './outcome.js';
import { oneLine, plainText } from './plain-text.js';
import { paintState, stateGlyph, taskStateWords } from './state.js';
import { renderTable } from './table.js';
import { wayText } from './transition-views.js';
import { wrap } from './width.js';

export interface TaskDetails {
  readonly task: TaskView;
  /** Null, as others below: the gateway could not say. */
  readonly usage: TaskUsageView | null;
  readonly attempts: readonly AttemptView[] | null;
  readonly briefing: Briefing | null;
  /** Null: a task without modes. */
  readonly modes: TransitionsView | null;
  /** What the provider said, when the task waits because of that. */
  readonly waitsFor: string | null;
}

interface Look {
  readonly colors: Colors;
  readonly width: number;
  readonly now: number;
}

const NAME_WIDTH = 12;
const INDENT = '  ';
/** Of a prompt or an output. */
const MOST_LINES = 40;

/** Sections with a heading each; one that has nothing to say is left out. */
export function taskDetails(details: TaskDetails, look: Look): string {
  const { task, usage } = details;
  const { colors: c } = look;
  const sections: (readonly [string, readonly string[]])[] = [
    ['Prompt', textLines(task.prompt, look)],
    ['Input', task.input === null ? [] : textLines(JSON.stringify(task.input, null, 2), look)],
    ['Rules', (details.briefing?.rules ?? []).map((rule) => foundLine(rule.path, rule))],
    ['Context', (details.briefing?.items ?? []).map((item) => foundLine(`${item.kind} ${item.name}`, item))],
    ['Way', wrap(wayText(details.modes?.history ?? []) ?? '', look.width - INDENT.length).filter(Boolean)],
    ['To do', task.todos.map((todo) => todoLine(todo, c))],
    [task.partial ? 'Output (partial)' : 'Output', textLines(outputText(task.output), look)],
    ['Tools', usage === null ? [] : toolLines(usage, look)],
    ['Attempts', attemptLines(details.attempts ?? [])],
  ];
  return [
    `${stateGlyph(task.state, c)} ${c.bold(oneLine(task.title))}`,
    '',
    ...factRows(details, look).map(([name, text]) => `${INDENT}${c.dim(name.padEnd(NAME_WIDTH))} ${text}`),
    ...sections.flatMap(([name, lines]) =>
      lines.length === 0 ? [] : ['', c.bold(name), ...lines.map((line) => INDENT + line)],
    ),
  ].join('\n');
}

/** What the agent was given: how large it is, which state it was, and whether that is all of it. */
function foundLine(
  name: string,
  { bytes, sha256, problem }: Pick<RuleFile, 'bytes' | 'sha256' | 'problem'>,
): string {
  const size = sha256 === '' ? '' : ` · ${count(bytes)} bytes · sha256 ${sha256.slice(0, 12)}`;
  return `${oneLine(name)}${size}${problem === null ? '' : ` · ${oneLine(problem)}`}`;
}

function factRows({ task, usage, waitsFor }: TaskDetails, { colors, now }: Look): [string, string][] {
  const state = paintState(task.state, taskStateWords(task), colors);
  const rows: [string, string | null][] = [
    ['ID', task.id],
    ['State', state + requestText(task)],
    ['Why', task.failure === null ? null : colors.red(oneLine(task.failure.message))],
    ['Waits for', waitText(task, waitsFor, colors)],
    ['Parent', task.parentId],
    ['Root', task.parentId === null ? null : task.rootId],
    ['Agent', `${oneLine(task.agent)} · ${oneLine(task.model)} · ${task.autonomy}`],
    [
      'Agent file',
      task.agentFile && `${oneLine(task.agentFile.path)} · sha256 ${task.agentFile.sha256.slice(0, 12)}`,
    ],
    ['Mode', task.mode],
    ['Created', `${task.createdAt} (${ago(task.createdAt, now)})`],
    ['Not before', task.runAt],
    ['Deadline', task.deadlineAt],
    ['Retry of', task.retryOfId],
    ['Forked from', forkedText(task.forkedFrom)],
    ['Imported', importedText(task.importedFrom)],
    ['Ran', ranText(task, now)],
    ...(usage === null ? [] : usageRows(usage)),
    ['Context', task.context && contextDetails(task.context)],
    ['Limits', limitsText(task)],
    ['Allowed', allowedText(task)],
    ['Workspace', task.workspacePath],
    ['Sandbox', sandboxLine(task, colors)],
    ['Tags', task.tags.length === 0 ? null : task.tags.map(oneLine).join(', ')],
    [
      'Metadata',
      Object.entries(task.metadata)
        .map(([key, value]) => `${oneLine(key)}=${oneLine(value)}`)
        .join(' ') || null,
    ],
    ['Worker', task.workerId],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== null);
}

function usageRows({ own, budget, ...usage }: TaskUsageView): [string, string | null][] {
  const { limitUsd, spentUsd } = budget;
  const cached = own.cacheReadTokens > 0 ? ` (${count(own.cacheReadTokens)} read from the cache)` : '';
  return [
    ['Cost', costText({ own, budget, ...usage })],
    ['Tokens', `${tokens(own)}${cached}`],
    ['Budget', limitUsd === null ? null : `${usd(spentUsd)} of ${usd(limitUsd)} spent by the tree`],
  ];
}

function sandboxLine({ sandbox }: TaskView, colors: Colors): string | null {
  if (sandbox === null) return null;
  const text = sandboxText(oneLine(sandbox));
  return sandbox === 'none' ? colors.yellow(text) : text;
}

function requestText(task: TaskView): string {
  if (task.endedAt !== null) return '';
  if (task.cancelRequested) return ' (cancel requested)';
  return task.pauseRequested ? ' (pauses after its current step)' : '';
}

function waitText(task: TaskView, waitsFor: string | null, colors: Colors): string | null {
  if (task.state !== 'waiting') return null;
  const advice = task.waitReason === 'provider' ? 'see: bullpen providers list' : null;
  const until = task.dueAt === null ? null : `goes on at ${task.dueAt}`;
  const parts = [waitsFor === null ? null : colors.yellow(oneLine(waitsFor)), until, advice];
  return parts.filter((part) => part !== null).join(' · ') || null;
}

function ranText(task: TaskView, now: number): string | null {
  if (task.startedAt === null) return null;
  const span = (task.endedAt === null ? now : Date.parse(task.endedAt)) - Date.parse(task.startedAt);
  return `${duration(span)}, ${duration(task.activeMs)} of it at work · ${plural(task.turns, 'turn')} · attempt ${task.attempt}`;
}

function costText({ own, tree }: TaskUsageView): string {
  const total = own.costUsd === tree.costUsd ? '' : ` · ${usd(tree.costUsd)} with subtasks`;
  const unpriced =
    tree.unpricedCalls > 0 ? ` · ${plural(tree.unpricedCalls, 'call')} to models without a known price` : '';
  return `${usd(own.costUsd)}${total}${unpriced}${tree.simulated ? ' (simulated)' : ''}`;
}

/** All limits of a task on one line. */
export function limitsText({ limits }: Pick<TaskView, 'limits'>): string {
  const budget = limits.costUsd === null ? 'no budget' : usd(limits.costUsd);
  return `${plural(limits.turns, 'turn')} · ${duration(limits.activeMs)} · ${count(limits.tokens)} tokens · ${budget} · ${plural(limits.subtasks, 'subtask')}, ${limits.depth} deep`;
}

function allowedText({ approvals }: TaskView): string {
  const words = [
    approvals.alwaysAllowReadOnly && 'read',
    approvals.alwaysAllowWrite && 'write',
    approvals.alwaysAllowExecute && 'execute',
    approvals.alwaysAllowSubtasks && 'subtasks',
    approvals.alwaysAllowUpdateTodoList && 'todos',
  ].filter((word) => word !== false);
  return words.length === 0 ? 'nothing' : words.join(', ');
}

function toolLines(usage: TaskUsageView, { colors, width }: Look): string[] {
  if (usage.toolCalls.length === 0) return [];
  return renderTable(
    usage.toolCalls,
    [
      { title: 'TOOL', value: (row) => oneLine(row.tool), shrinkTo: 10 },
      { title: 'CALLS', value: (row) => String(row.calls), align: 'right' },
      { title: 'ERRORS', value: (row) => String(row.errors || ''), align: 'right' },
      { title: 'TIME', value: (row) => duration(row.durationMs), align: 'right' },
    ],
    width - INDENT.length,
    colors,
  ).split('\n');
}

function todoLine(todo: TodoItem, colors: Colors): string {
  const mark = { pending: '☐', in_progress: colors.cyan('▸'), completed: colors.green('☑') }[todo.status];
  return `${mark} ${oneLine(todo.text)}`;
}

/** The only attempt says nothing that the state does not. */
function attemptLines(attempts: readonly AttemptView[]): string[] {
  return attempts.length < 2 ? [] : attempts.map(attemptLine);
}

function attemptLine(attempt: AttemptView): string {
  const why = attempt.failure === null ? '' : `: ${oneLine(attempt.failure.message)}`;
  return `${attempt.number}. ${attempt.outcome ?? 'running'}${why}`;
}

function textLines(text: string, { width }: Look): string[] {
  if (text.trim() === '') return [];
  const lines = wrap(plainText(text).trimEnd(), width - INDENT.length);
  if (lines.length <= MOST_LINES) return lines;
  return [
    ...lines.slice(0, MOST_LINES - 1),
    `… ${plural(lines.length - MOST_LINES + 1, 'more line')}: --json shows all`,
  ];
}

function forkedText(from: TaskView['forkedFrom']): string | null {
  return from && (from.checkpointId === null ? from.taskId : `${from.taskId}, ${from.checkpointId}`);
}

function importedText(from: TaskView['importedFrom']): string | null {
  if (from === null) return null;
  return `${from.importedAt}, from ${from.taskId}, exported at ${from.exportedAt} as ${from.state}; nothing of it was done here`;
}
