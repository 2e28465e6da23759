/** The end of a demo for people. Pure. */
import type { Json } from '@bullpen/contracts';
import { z } from 'zod';
import type { Context } from '../context.js';
import { reportPath, type DemoResult } from './demo-result.js';
import { bytes, count, duration, nounFor, plural, tokens, usd } from './format.js';
import { oneLine } from './plain-text.js';
import { paintState, stateGlyph, stateWords } from './state.js';
import { lossesText } from './takeover.js';

const NAME_WIDTH = 10;

/** Several lines: outcome, what was found, what it cost, where the report is, what to type next. */
export function demoSummary(
  result: DemoResult,
  ownStack: boolean,
  { command, io }: Pick<Context, 'command' | 'io'>,
): string {
  const { outColors: c } = io;
  const { task, tree, usage, system, durationMs, losses } = result;
  const state = paintState(task.state, stateWords(task.state, task.waitReason, task.stopCause), c);
  const cost = `${usd(usage.tree.costUsd)}${system.model.simulated ? c.yellow('  (simulated: no money was spent)') : ''}`;
  const rows: [string, string][] = [
    ...surveyRows(task.output),
    [
      'Tasks',
      `${plural(tree.tasks.length, 'task')}, ${plural(usage.tree.modelCalls, 'model call')}, ${duration(durationMs)}`,
    ],
    ...(losses.workers > 0 ? [['Workers', c.yellow(lossesText(losses))] satisfies [string, string]] : []),
    ['Tokens', tokens(usage.tree)],
    ['Cost', cost],
    ['Queue', system.queueBackend],
  ];
  const report = reportPath(task);
  if (report !== null && task.state === 'completed') rows.push(['Report', c.cyan(report)]);
  if (task.failure !== null) rows.push(['Why', c.red(oneLine(task.failure.message))]);
  return [
    '',
    `${stateGlyph(task.state, c)} ${c.bold(oneLine(task.title))}: ${state}`,
    '',
    ...rows.map(([name, text]) => `  ${name.padEnd(NAME_WIDTH)} ${text}`),
    '',
    ...nextSteps(command, task.id, ownStack).map((line) => `  ${c.dim(line)}`),
    '',
  ].join('\n');
}

/** What a survey gives, as far as it is shown. A model writes it, so each part may be missing. */
const Survey = z.object({
  totals: z.object({ files: z.number(), lines: z.number(), bytes: z.number() }).nullable().catch(null),
  languages: z.array(z.object({ language: z.string(), lines: z.number() })).catch([]),
  todos: z
    .array(z.object({ kind: z.string() }))
    .nullable()
    .catch(null),
});

const MOST_LANGUAGES = 5;

function surveyRows(output: Json | null): [string, string][] {
  const survey = Survey.safeParse(output).data;
  if (survey === undefined) return [];
  const { totals, languages, todos } = survey;
  const rows: [string, string][] = [];
  if (totals !== null)
    rows.push([
      'Found',
      `${plural(totals.files, 'file')}, ${count(totals.lines)} ${nounFor(totals.lines, 'line')}, ${bytes(totals.bytes)}`,
    ]);
  if (languages.length > 0) rows.push(['Languages', languagesText(languages)]);
  if (todos !== null) rows.push(['TODOs', todosText(todos)]);
  return rows;
}

function languagesText(languages: readonly { language: string; lines: number }[]): string {
  const byLines = [...languages].sort((left, right) => right.lines - left.lines);
  const shown = byLines
    .slice(0, MOST_LANGUAGES)
    .map(({ language, lines }) => `${oneLine(language)} ${count(lines)}`);
  const more = byLines.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function todosText(todos: readonly { kind: string }[]): string {
  const fixmes = todos.filter((todo) => todo.kind === 'FIXME').length;
  return `${todos.length - fixmes} TODO, ${fixmes} FIXME`;
}

function nextSteps(command: string, taskId: string, ownStack: boolean): string[] {
  const start = ownStack ? ['npm start                              keep Bullpen running, then:'] : [];
  return [
    ...start,
    `${command} tasks tree ${taskId}`,
    `${command} tasks logs ${taskId}`,
    `${command} usage --task ${taskId}`,
  ];
}
