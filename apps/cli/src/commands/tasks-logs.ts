/** `bullpen tasks logs`: the UI history as text. */
import { isStored, type StreamItem } from '@bullpen/client';
import type { EventPage, TaskEvent } from '@bullpen/contracts';
import type { Command } from 'commander';
import {
  connect,
  optionsOf,
  PATIENT_RETRIES,
  type Client,
  type Connection,
  type Context,
  type Options,
} from '../context.js';
import { Interrupted } from '../errors.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { follow } from '../live/follow.js';
import { Transcript } from '../render/transcript.js';

interface LogFlags {
  readonly follow?: boolean;
}

const PAGE = 200;

export function registerTasksLogs(tasks: Command, context: Context): void {
  const command = tasks
    .command('logs')
    .description('what was said and done in a task; --json gives the events as JSON Lines')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .option('-f, --follow', 'keep going until the task has ended')
    .action((id: string, _, self: Command) => logs(context, id, optionsOf<LogFlags>(self)));
  withExamples(command, [
    ['bullpen tasks logs task_…', 'so far'],
    ['bullpen tasks logs task_… -f', 'so far, then live'],
  ]);
}

async function logs(context: Context, id: string, options: Options<LogFlags>): Promise<void> {
  const { io } = context;
  const connection = connect(context, options, options.follow ? PATIENT_RETRIES : undefined);
  const transcript = new Transcript({
    rootId: id,
    width: io.columns(),
    colors: io.outColors,
    everything: true,
  });
  const print = (item: StreamItem): void => {
    if (options.json) return isStored(item) ? io.out(JSON.stringify(item)) : undefined;
    const lines = transcript.push(item);
    if (lines.length > 0) io.out(lines.join('\n'));
  };
  if (!options.follow) {
    for await (const event of storedEvents(connection.client, id)) print(event);
    return;
  }
  await followLogs(context, connection, id, print);
}

async function followLogs(
  context: Context,
  connection: Connection,
  taskId: string,
  onItem: (item: StreamItem) => void,
): Promise<void> {
  const { io } = context;
  connection.onTrouble = (message) => io.err(io.errColors.yellow(message ?? 'connected again'));
  const leave = new AbortController();
  const release = context.onInterrupt(() => leave.abort(new Interrupted(`${taskId} goes on.`)));
  try {
    await follow({ client: connection.client, taskId, signal: leave.signal, tree: false, onItem });
  } finally {
    release();
  }
}

/** All stored events of a task, oldest first, read page by page. */
async function* storedEvents(client: Client, id: string): AsyncGenerator<TaskEvent> {
  let page: EventPage = await client.tasks.events(id, { limit: PAGE });
  yield* page.data;
  while (page.hasMore && page.nextAfter !== null) {
    page = await client.tasks.events(id, { after: page.nextAfter, limit: PAGE });
    yield* page.data;
  }
}
