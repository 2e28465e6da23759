/** How a task ended, for people and as data. Pure. */
import type { Diffstat, Json, TaskUsageView, TaskView } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { takeText } from './checkpoint-views.js';
import { duration, plural, tokens, usd } from './format.js';
import { oneLine, plainText } from './plain-text.js';
import { paintState, stateGlyph, stateWords } from './state.js';

/** What a task changed; null: no files, as far as is stored. Or why it cannot be said. */
export type Changes = Diffstat | null | { readonly problem: string };

/** State, why, what it took; what the tree cost when there were subtasks; what it changed. */
export function outcomeLines(
  task: TaskView,
  usage: TaskUsageView | null,
  colors: Colors,
  changes: Changes = null,
): string[] {
  const words = stateWords(task.state, task.waitReason, task.stopCause);
  const spent = [plural(task.turns, 'turn'), ...(usage === null ? [] : spentText(usage)), elapsed(task)];
  const lines = [
    '',
    `${stateGlyph(task.state, colors)} ${paintState(task.state, words, colors)}  ${colors.dim(spent.join(' · '))}`,
  ];
  if (task.failure !== null) lines.push(`  ${colors.red(oneLine(task.failure.message))}`);
  if (task.partial)
    lines.push(colors.yellow('  The output is what could be saved; the task did not reach its goal.'));
  if (task.workspacePath !== null)
    lines.push(colors.dim(`  workspace: ${task.workspacePath}${inSandbox(task)}`));
  if (changes !== null && 'problem' in changes)
    lines.push(colors.dim(`  what it changed cannot be said: ${oneLine(changes.problem)}`));
  else if (changes !== null) lines.push(`  ${takeText(task, changes)}`);
  if (wantsHelp(task))
    lines.push(`  ${colors.cyan('next:')} help it along: bullpen retry ${task.id} --message "…"`);
  return lines;
}

function spentText({ tree }: TaskUsageView): string[] {
  return [tokens(tree), `${usd(tree.costUsd)}${tree.simulated ? ' (simulated)' : ''}`];
}

/** The output as text for stdout: text as it is, `{"result": "…"}` as its text, all else as JSON. Empty when there is none. */
export function outputText(output: Json | null): string {
  if (output === null) return '';
  if (typeof output === 'string') return plainText(output);
  if (typeof output === 'object' && !Array.isArray(output)) {
    const keys = Object.keys(output);
    const only = keys.length === 1 ? output[keys[0] ?? ''] : undefined;
    if (typeof only === 'string') return plainText(only);
  }
  return plainText(JSON.stringify(output, null, 2));
}

/** The JSON document of `run --json`. */
export function runDocument(task: TaskView, usage: TaskUsageView | null, changes: Changes): object {
  return {
    outcome: task.state,
    waitReason: task.waitReason,
    stopCause: task.stopCause,
    taskId: task.id,
    output: task.output,
    partial: task.partial,
    failure: task.failure,
    turns: task.turns,
    usage: usage && usage.tree,
    workspacePath: task.workspacePath,
    changes,
    sandbox: task.sandbox,
  };
}

/** The agent itself said that it could not do all: with what it lacks it goes on from where it is. */
function wantsHelp({ stopCause, parentId }: TaskView): boolean {
  return parentId === null && (stopCause === 'partial' || stopCause === 'blocked');
}

function inSandbox({ sandbox }: TaskView): string {
  return sandbox === null ? '' : ` · sandbox: ${oneLine(sandbox)}`;
}

function elapsed(task: TaskView): string {
  const from = Date.parse(task.startedAt ?? task.createdAt);
  return duration(Date.parse(task.endedAt ?? task.updatedAt) - from);
}
