/** The end of a demo for people. Pure. */
import type { Json } from '@bullpen/contracts';
import type { Io } from '../io.js';
import { reportPath, type DemoResult } from './demo-result.js';
import { duration, plural, tokens, usd } from './format.js';
import { oneLine } from './plain-text.js';
import { paintState, stateGlyph, stateWords } from './state.js';

const NAME_WIDTH = 10;

/** Several lines: outcome, what was found, what it cost, where the report is, what to type next. */
export function demoSummary(
  result: DemoResult,
  ownStack: boolean,
  { outColors: c }: Pick<Io, 'outColors'>,
): string {
  const { task, tree, usage, system, durationMs } = result;
  const state = paintState(task.state, stateWords(task.state, task.waitReason, task.stopCause), c);
  const cost = `${usd(usage.tree.costUsd)}${system.model.simulated ? c.yellow('  (simulated: no money was spent)') : ''}`;
  const rows: [string, string][] = [
    ...outputRows(task.output),
    [
      'Tasks',
      `${plural(tree.tasks.length, 'task')}, ${plural(usage.tree.modelCalls, 'model call')}, ${duration(durationMs)}`,
    ],
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
    ...nextSteps(task.id, ownStack).map((line) => `  ${c.dim(line)}`),
    '',
  ].join('\n');
}

/** The typed output of the survey, as far as it is what we expect: a model writes it, so nothing is taken for granted. */
function outputRows(output: Json | null): [string, string][] {
  if (output === null || typeof output !== 'object' || Array.isArray(output)) return [];
  return Object.entries(output).flatMap(([key, value]): [string, string][] => {
    const text = valueText(value);
    return text === '' ? [] : [[label(key), text]];
  });
}

const MOST_PARTS = 8;

function valueText(value: Json): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return oneLine(String(value));
  if (Array.isArray(value))
    return clipped(value.map((item) => valueText(item)).filter((text) => text !== ''));
  if (value === null) return '';
  return clipped(Object.entries(value).map(([key, item]) => `${oneLine(key)} ${valueText(item)}`));
}

function clipped(parts: readonly string[]): string {
  const more = parts.length > MOST_PARTS ? `, … (${parts.length} in all)` : '';
  return parts.slice(0, MOST_PARTS).join(', ') + more;
}

function label(key: string): string {
  const words = oneLine(key)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function nextSteps(taskId: string, ownStack: boolean): string[] {
  const start = ownStack ? ['npm start                              keep Bullpen running, then:'] : [];
  return [
    ...start,
    `npx bullpen tasks tree ${taskId}`,
    `npx bullpen tasks logs ${taskId}`,
    `npx bullpen usage --task ${taskId}`,
  ];
}
