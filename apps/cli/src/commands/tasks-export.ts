/** `bullpen tasks export`: a task to keep or to hand on, with both histories and its tree. */
import type { ApiMessageView, TaskEvent, TaskTree, TaskUsageView, TaskView } from '@bullpen/contracts';
import { Option, type Command } from 'commander';
import { connect, optionsOf, printJson, type Client, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { exportMarkdown } from '../render/export-markdown.js';
import { storedEvents } from './tasks-logs.js';

interface ExportFlags {
  readonly format: 'markdown' | 'json';
}

const PAGE = 200;

/** One task, complete: what people saw (`events`) and what the model was sent (`messages`). */
export interface TaskExport {
  readonly task: TaskView;
  readonly usage: TaskUsageView;
  readonly tree: TaskTree;
  readonly events: readonly TaskEvent[];
  readonly messages: readonly ApiMessageView[];
}

export function registerTasksExport(tasks: Command, context: Context): void {
  const command = tasks
    .command('export')
    .description('a task with both histories and its tree, on stdout')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .addOption(
      new Option('--format <format>', 'format of the export')
        .choices(['markdown', 'json'])
        .default('markdown'),
    )
    .action((id: string, _, self: Command) => exportTask(context, id, self));
  withExamples(command, [
    ['bullpen tasks export task_… > task.md', 'to read'],
    ['bullpen tasks export task_… --format json > task.json', 'to process'],
  ]);
}

async function exportTask(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<ExportFlags>(self);
  const { client } = connect(context, options);
  const document = await collectExport(client, id);
  if (options.json || options.format === 'json') printJson(context.io, document);
  else context.io.out(exportMarkdown(document));
}

async function collectExport(client: Client, id: string): Promise<TaskExport> {
  const [task, usage, tree] = await Promise.all([
    client.tasks.get(id),
    client.tasks.usage(id),
    client.tasks.tree(id),
  ]);
  const events: TaskEvent[] = [];
  for await (const event of storedEvents(client, id)) events.push(event);
  return { task, usage, tree, events, messages: await storedMessages(client, id) };
}

async function storedMessages(client: Client, id: string): Promise<ApiMessageView[]> {
  let page = await client.tasks.apiHistory(id, { limit: PAGE });
  const messages = [...page.data];
  while (page.hasMore && page.nextCursor !== null) {
    page = await client.tasks.apiHistory(id, { limit: PAGE, after: page.nextCursor });
    messages.push(...page.data);
  }
  return messages;
}
