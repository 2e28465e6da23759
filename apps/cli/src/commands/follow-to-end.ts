/** Shows a task live until it has ended, and reports how: what `run` does, and `retry --follow`. */
import type { TaskView } from '@bullpen/contracts';
import type { Client, Connection, Context } from '../context.js';
import { Interrupted } from '../errors.js';
import { follow } from '../live/follow.js';
import type { StreamItem } from '../live/tree-model.js';
import { Transcript } from '../render/transcript.js';
import { reportOutcome } from './report-outcome.js';

/** Sets the exit code by the outcome. Only what comes after the `after`-th event is shown. */
export async function followToEnd(
  context: Context,
  connection: Connection,
  task: TaskView,
  json: boolean,
  after?: number,
): Promise<void> {
  const { io } = context;
  io.err(io.errColors.dim(`${task.id} · ${task.agent} · ${task.model}`));
  const transcript = new Transcript({
    rootId: task.id,
    width: io.columns(),
    colors: io.errColors,
    everything: false,
  });
  const ended = await attach(context, connection, task.id, json ? null : transcript, after);
  await reportOutcome(context, connection.client, ended, { json, shown: transcript.lastWords });
}

/** Shows the task until it ends. The first Ctrl-C leaves, the second cancels the task and waits for its end. */
async function attach(
  context: Context,
  connection: Connection,
  taskId: string,
  transcript: Transcript | null,
  after: number | undefined,
): Promise<TaskView> {
  const { io } = context;
  const print = (lines: readonly string[] = []): void => {
    if (lines.length > 0) io.err(lines.join('\n'));
  };
  connection.onTrouble = (message) => io.err(io.errColors.yellow(message ?? 'connected again'));
  const leave = new AbortController();
  const release = onCtrlC(context, connection.client, taskId, leave);
  try {
    const { client } = connection;
    const onItem = (item: StreamItem): void => print(transcript?.push(item));
    return await follow({ client, taskId, signal: leave.signal, tree: true, after, onItem });
  } finally {
    print(transcript?.rest());
    release();
  }
}

/** A second Ctrl-C that comes this soon means the task, not only the watching. */
const SECOND_PRESS_MS = 1_500;

function onCtrlC(context: Context, client: Client, taskId: string, leave: AbortController): () => void {
  const { io } = context;
  let timer: NodeJS.Timeout | null = null;
  const detached = new Interrupted(`Detached: ${taskId} goes on.`, [
    `watch it again: bullpen tasks watch ${taskId}`,
    `or end it: bullpen cancel ${taskId}`,
  ]);
  return context.onInterrupt((times) => {
    if (times === 1) {
      io.err(io.errColors.dim('\nLeaving; press Ctrl-C again now to cancel the task.'));
      timer = setTimeout(() => leave.abort(detached), SECOND_PRESS_MS);
      return;
    }
    if (timer !== null) clearTimeout(timer);
    io.err(io.errColors.dim('Cancelling …'));
    client.tasks
      .cancel(taskId, { reason: 'cancelled at the terminal' })
      .catch((error: unknown) => leave.abort(error));
  });
}
