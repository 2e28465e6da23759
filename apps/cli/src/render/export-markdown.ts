/** A task as a Markdown document: what it was, how it went, what it said and did, its subtasks. Pure. */
import { LossCount } from '@bullpen/client';
import type {
  ApiMessageView,
  ContentBlock,
  Json,
  TaskEvent,
  TaskTree,
  TaskUsageView,
  TaskView,
} from '@bullpen/contracts';
import { duration, plural, tokens, usd } from './format.js';
import { outputText } from './outcome.js';
import { oneLine, plainText } from './plain-text.js';
import { stateWords } from './state.js';
import { lossesText } from './takeover.js';

export interface MarkdownSource {
  readonly task: TaskView;
  readonly usage: TaskUsageView;
  readonly tree: TaskTree;
  readonly events: readonly TaskEvent[];
  readonly messages: readonly ApiMessageView[];
}

/** A task for readers without a Bullpen: facts, result, tree and both histories. */
export function exportMarkdown({ task, usage, tree, events, messages }: MarkdownSource): string {
  const output = outputText(task.output);
  return [
    `# ${oneLine(task.title)}`,
    factList(task, usage, events),
    ...(output === '' ? [] : [task.partial ? '## Output (partial)' : '## Output', output]),
    ...(tree.tasks.length < 2 ? [] : ['## Tree', treeList(tree)]),
    '## Conversation',
    ...messages.flatMap((message) => messageParts(message)),
    '',
  ].join('\n\n');
}

function factList(task: TaskView, usage: TaskUsageView, events: readonly TaskEvent[]): string {
  const simulated = usage.tree.simulated ? ' (simulated)' : '';
  const active = duration(task.activeMs);
  const lost = new LossCount();
  for (const event of events) lost.take(event);
  const losses = lossesText(lost.losses);
  return [
    `- Task: \`${task.id}\`${task.parentId === null ? '' : `, subtask of \`${task.parentId}\``}`,
    `- Agent: ${oneLine(task.agent)}, model ${oneLine(task.model)}`,
    `- State: ${stateWords(task.state, task.waitReason, task.stopCause)}${task.failure ? `: ${oneLine(task.failure.message)}` : ''}`,
    `- Created: ${task.createdAt}${task.endedAt === null ? '' : `, ended: ${task.endedAt}`}`,
    `- Took: ${plural(task.turns, 'turn')}, ${active} at work, ${tokens(usage.own)} tokens`,
    ...(losses === '' ? [] : [`- On the way: ${losses}`]),
    `- Cost: ${usd(usage.own.costUsd)}, with subtasks ${usd(usage.tree.costUsd)}${simulated}`,
  ].join('\n');
}

function treeList(tree: TaskTree): string {
  return tree.tasks
    .map((task) => {
      const state = stateWords(task.state, task.waitReason, task.stopCause);
      return `${'  '.repeat(task.path.length - 1)}- ${oneLine(task.title)} (${oneLine(task.agent)}, ${state}, ${usd(task.usage.costUsd)}, \`${task.id}\`)`;
    })
    .join('\n');
}

function messageParts(message: ApiMessageView): string[] {
  const who =
    message.role === 'assistant'
      ? `Agent, turn ${message.turn}`
      : isOnlyResults(message)
        ? 'Tool results'
        : 'User';
  return [`### ${who}`, ...message.content.map(blockText).filter((text) => text !== '')];
}

function isOnlyResults(message: ApiMessageView): boolean {
  return message.content.length > 0 && message.content.every((block) => block.type === 'tool_result');
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return plainText(block.text);
    case 'thinking':
      return plainText(block.thinking).trim() === '' ? '' : quote(plainText(block.thinking));
    case 'redacted_thinking':
      return '';
    case 'tool_use':
      return `Calls \`${oneLine(block.name)}\`:\n\n${fenced(JSON.stringify(block.input satisfies Json, null, 2), 'json')}`;
    case 'tool_result':
      return `${block.is_error ? 'Error' : 'Result'}:\n\n${fenced(plainText(block.content), '')}`;
    default:
      return block satisfies never;
  }
}

function quote(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** The fence is longer than any run of backticks inside, so that the content cannot end it. */
function fenced(text: string, language: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}
