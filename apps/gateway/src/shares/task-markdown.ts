/** An exported task for readers: what was asked, what was said and done, task by task. */
import type { TaskEvent, TaskExport } from '@bullpen/contracts';

interface ReadableTasks {
  readonly tasks: readonly Pick<TaskExport['tasks'][number], 'task' | 'events'>[];
  readonly exportedAt: string;
}

/** Markdown of tasks that are masked already. */
export function taskMarkdown({ tasks, exportedAt }: ReadableTasks): string {
  const parts = tasks.flatMap(({ task, events }, at) => [
    `${at === 0 ? '#' : '##'} ${line(task.title)}`,
    [
      `- Task: \`${task.id}\`${task.parentId === null || at === 0 ? '' : `, subtask of \`${task.parentId}\``}`,
      `- Agent: ${line(task.agent)}, model ${line(task.model)}`,
      `- State: ${task.state}${task.stopCause === null ? '' : ` (${task.stopCause})`}`,
      `- Created: ${task.createdAt}${task.endedAt === null ? '' : `, ended: ${task.endedAt}`}`,
      `- Cost: ${costText(task.usage)}`,
    ].join('\n'),
    ...events.flatMap(eventParts),
  ]);
  return `${parts.join('\n\n')}\n\n---\n\nExported ${exportedAt}. Keys, tokens and home folders are masked.\n`;
}

function costText({
  costUsd,
  unpricedCalls,
  modelCalls,
}: TaskExport['tasks'][number]['task']['usage']): string {
  if (modelCalls > 0 && unpricedCalls === modelCalls) return 'not priced';
  return `$${costUsd}${unpricedCalls === 0 ? '' : ` and ${unpricedCalls} calls without a known price`}`;
}

function eventParts(event: TaskEvent): string[] {
  switch (event.type) {
    case 'message.user':
      return [`### User`, event.data.text];
    case 'message.agent':
      return event.data.text === '' ? [] : [`### Agent, turn ${event.data.turn}`, event.data.text];
    case 'tool.started':
      return [`**${line(event.data.tool)}**`, fenced(JSON.stringify(event.data.arguments, null, 2))];
    case 'tool.finished':
      return [fenced(event.data.preview)];
    default:
      return [];
  }
}

function line(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
