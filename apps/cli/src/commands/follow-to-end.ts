/**
 * Shows a task live until it has ended, asks the person at the terminal what it has to ask, and reports how it ended: what `run`
 * does, and `retry --follow`.
 */
import { type StreamItem, TreeModel } from '@bullpen/client';
import type { TaskView } from '@bullpen/contracts';
import { leftOutLine, type Connection, type Context } from '../context.js';
import { follow } from '../live/follow.js';
import { HeldOutput } from '../live/held-output.js';
import { NeedsPeople, waitsForMessage, waitsForPeople, watchNeeds } from '../live/needs-people.js';
import { Attendant } from '../people/attendant.js';
import { Transcript } from '../render/transcript.js';
import { leavingKeys } from './leaving-keys.js';
import { reportOutcome, reportWaiting } from './report-outcome.js';

/** Sets the exit code by the outcome. Only what comes after the `after`-th event is shown. */
export async function followToEnd(
  context: Context,
  connection: Connection,
  task: TaskView,
  json: boolean,
  after?: number,
): Promise<void> {
  const { io } = context;
  const transcript = new Transcript({
    rootId: task.id,
    width: io.columns(),
    colors: io.errColors,
    everything: false,
  });
  try {
    const ended = await attach(context, connection, task, json ? null : transcript, after);
    await reportOutcome(context, connection.client, ended, { json, shown: transcript.lastWords });
  } catch (error) {
    if (!(error instanceof NeedsPeople)) throw error;
    await reportWaiting(context, connection.client, error, { json, shown: transcript.lastWords });
  }
}

/** Shows the task until it ends, or throws `NeedsPeople` where nobody can be asked. Without a transcript nothing is shown. */
async function attach(
  context: Context,
  connection: Connection,
  task: TaskView,
  transcript: Transcript | null,
  after: number | undefined,
): Promise<TaskView> {
  const { io } = context;
  const taskId = task.id;
  const { client } = connection;
  const output = new HeldOutput((text) => io.err(text));
  const print = (lines: readonly string[] = []): void => {
    if (lines.length > 0) output.line(lines.join('\n'));
  };
  connection.onTrouble = (message) => output.line(io.errColors.yellow(message ?? 'connected again'));
  connection.onLeftOut = (what) => output.line(leftOutLine(io, what));
  const leave = new AbortController();
  const { signal } = leave;
  const keys = leavingKeys(context, client, taskId, leave);
  // Once the task is on the screen, Ctrl-C does what the help says.
  io.err(
    io.errColors.dim(
      [taskId, task.agent, task.model, ...(task.sandbox === null ? [] : [`sandbox: ${task.sandbox}`])].join(
        ' · ',
      ),
    ),
  );
  const attendant =
    transcript === null
      ? null
      : Attendant.atTerminal({
          context,
          client,
          screen: output,
          signal,
          askAgain: `Ctrl-C leaves the task as it is; bullpen tasks watch ${taskId} asks you again.`,
          onInterrupt: (openId) => keys.press(openId),
          onError: (error) => leave.abort(error),
        });
  const look = watchNeeds({
    client,
    model: new TreeModel(taskId),
    signal,
    // A person who is here is asked; but a task that listens for the next message is no business of this command.
    wanted: (model) =>
      attendant === null ? waitsForPeople(model) : waitsForMessage(model) && !attendant.busy,
    found: (need) => leave.abort(need),
    failed: (error) => leave.abort(error),
  });
  const onItem = (item: StreamItem): void => {
    print(transcript?.push(item));
    attendant?.onItem(item);
    look(item);
  };
  try {
    return await follow({ client, taskId, signal, tree: true, after, onItem });
  } finally {
    // A prompt that is open still has to give the terminal back.
    await attendant?.leave();
    print(transcript?.rest());
    keys.release();
  }
}
