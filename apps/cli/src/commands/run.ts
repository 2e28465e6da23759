/** `bullpen run`: hands a task in and shows what it and its subtasks say and do until it has ended. */
import type { TaskView } from '@bullpen/contracts';
import type { Command } from 'commander';
import {
  connect,
  optionsOf,
  PATIENT_RETRIES,
  printJson,
  type Client,
  type Connection,
  type Context,
  type Options,
} from '../context.js';
import { Interrupted } from '../errors.js';
import { withExamples } from '../help.js';
import { follow } from '../live/follow.js';
import type { StreamItem } from '../live/tree-model.js';
import { Transcript } from '../render/transcript.js';
import { reportOutcome } from './report-outcome.js';
import { taskBody, withTaskFlags, type TaskFlags } from './task-input.js';

interface RunFlags extends TaskFlags {
  readonly detach?: boolean;
}

export function registerRun(program: Command, context: Context): void {
  const command = withTaskFlags(
    program
      .command('run')
      .description('hand in a task and watch it live; its output goes to stdout, all else to stderr'),
  )
    .option('--detach', 'hand it in, print its id and leave')
    .action((prompt: string | undefined, _, self: Command) =>
      run(context, prompt, optionsOf<RunFlags>(self)),
    );
  withExamples(command, [
    ['bullpen run "Explain this project" --dir .', 'read a copy of this folder'],
    ['bullpen run "Fix the typos" -d . --in-place --allow write', 'change the files here'],
    ['bullpen run - --budget 2 --json < prompt.txt', 'one JSON document at the end'],
  ]);
  command.addHelpText(
    'after',
    '\nCtrl-C leaves the task running and says how to watch it again;\na second Ctrl-C cancels it.',
  );
}

async function run(context: Context, prompt: string | undefined, options: Options<RunFlags>): Promise<void> {
  const { io } = context;
  const body = await taskBody(context, prompt, options);
  const connection = connect(context, options, PATIENT_RETRIES);
  const { client } = connection;
  const task = await client.tasks.create(body);
  if (options.detach) {
    if (options.json) printJson(io, task);
    else io.out(task.id);
    return;
  }
  io.err(io.errColors.dim(`${task.id} · ${task.agent} · ${task.model}`));
  const json = options.json === true;
  const transcript = new Transcript({
    rootId: task.id,
    width: io.columns(),
    colors: io.errColors,
    everything: false,
  });
  const ended = await attach(context, connection, task.id, json ? null : transcript);
  await reportOutcome(context, client, ended, { json, shown: transcript.lastWords });
}

/** Shows the task until it ends. The first Ctrl-C leaves, the second cancels the task and waits for its end. */
async function attach(
  context: Context,
  connection: Connection,
  taskId: string,
  transcript: Transcript | null,
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
    return await follow({ client, taskId, signal: leave.signal, tree: true, onItem });
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
