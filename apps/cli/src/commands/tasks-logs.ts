/** `bullpen tasks logs`: the UI history as text. */
import type { EventPage, TaskEvent } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, type Client, type Context, type Options } from '../context.js';
import { Interrupted } from '../errors.js';
import { withExamples } from '../help.js';
import { follow } from '../live/follow.js';
import { isStored, type StreamItem } from '../live/tree-model.js';
import { Transcript } from '../render/transcript.js';

interface LogFlags {
  readonly follow?: boolean;
}

const PAGE = 200;
const PATIENCE_MS = 120_000;

export function registerTasksLogs(tasks: Command, context: Context): void {
  const command = tasks
    .command('logs')
    .description('what was said and done in a task; --json gives the events as JSON Lines')
    .argument('<id>', 'id of the task')
    .option('-f, --follow', 'go on until the task has ended')
    .action((id: string, _, self: Command) => logs(context, id, optionsOf<LogFlags>(self)));
  withExamples(command, [
    ['bullpen tasks logs task_…', 'so far'],
    ['bullpen tasks logs task_… -f', 'and on, live'],
  ]);
}

async function logs(context: Context, id: string, options: Options<LogFlags>): Promise<void> {
  const { io } = context;
  const { client } = connect(context, options);
  const transcript = new Transcript({ rootId: id, width: io.columns(), colors: io.outColors, everything: true });
  const print = (item: StreamItem): void => {
    if (options.json) return isStored(item) ? io.out(JSON.stringify(item)) : undefined;
    const lines = transcript.push(item);
    if (lines.length > 0) io.out(lines.join('\n'));
  };
  if (!options.follow) {
    for await (const event of storedEvents(client, id)) print(event);
    return;
  }
  await followLogs(context, client, id, print);
}

async function followLogs(context: Context, client: Client, id: string, onItem: (item: StreamItem) => void): Promise<void> {
  const { io } = context;
  const leave = new AbortController();
  const release = context.onInterrupt(() => leave.abort(new Interrupted(`${id} goes on.`)));
  const onTrouble = (text: string | null): void => io.err(io.errColors.yellow(text ?? 'connected again'));
  try {
    await follow({ client, rootId: id, signal: leave.signal, tree: false, patienceMs: PATIENCE_MS, onItem, onTrouble });
  } finally {
    release();
  }
}

/** All stored events of a task, oldest first, read page by page. */
export async function* storedEvents(client: Client, id: string): AsyncGenerator<TaskEvent> {
  let page: EventPage | null = null;
  do {
    page = await client.tasks.events(id, { after: page?.nextAfter ?? undefined, limit: PAGE });
    yield* page.data;
  } while (page.hasMore && page.nextAfter !== null);
}
