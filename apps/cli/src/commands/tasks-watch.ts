/** `bullpen tasks watch`: one tree, live. */
import type { StreamItem } from '@bullpen/client';
import type { TaskView } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, PATIENT_RETRIES, type Connection, type Context } from '../context.js';
import { Interrupted } from '../errors.js';
import { exitCodeOfOutcome } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { follow } from '../live/follow.js';
import type { TreeDisplay } from '../live/tree-display.js';
import { watchTree } from '../live/watch-tree.js';
import { Attendant } from '../people/attendant.js';
import { reportOutcome } from './report-outcome.js';

interface WatchFlags {
  readonly events?: boolean;
}

export function registerTasksWatch(tasks: Command, context: Context): void {
  const command = tasks
    .command('watch')
    .description('watch the tree of a task until it has ended; the exit code tells how')
    .addArgument(new IdArgument('<id>', ['task'], 'id of any task of the tree'))
    .option('--events', 'print every event as a JSON line instead')
    .action((id: string, _, self: Command) => watch(context, id, self));
  withExamples(command, [
    ['bullpen tasks watch task_…', 'the tree, redrawn as it changes'],
    ['bullpen tasks watch task_… --events | jq .type', 'JSON Lines for scripts'],
  ]);
}

async function watch(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<WatchFlags>(self);
  const connection = connect(context, options, PATIENT_RETRIES);
  const { rootId } = await connection.client.tasks.get(id);
  const leave = new AbortController();
  const stop = (hints: readonly string[] = []): void =>
    leave.abort(new Interrupted(`${rootId} goes on.`, hints));
  const release = context.onInterrupt(() => stop());
  const { signal } = leave;
  try {
    if (options.events) {
      const ended = await printEvents(context, connection, rootId, signal);
      context.setExitCode(exitCodeOfOutcome(ended.state, ended.stopCause));
    } else {
      const attend = (display: TreeDisplay): Attendant | null =>
        options.json
          ? null
          : Attendant.atTerminal({
              context,
              client: connection.client,
              screen: display,
              signal,
              onInterrupt: (openId) => stop([`answer what it asks: bullpen inbox show ${openId}`]),
              onError: (error) => leave.abort(error),
            });
      const ended = await watchTree({ io: context.io, connection, rootId, signal, attend });
      await reportOutcome(context, connection.client, ended, { json: options.json === true });
    }
  } finally {
    release();
  }
}

function printEvents(
  { io }: Context,
  connection: Connection,
  taskId: string,
  signal: AbortSignal,
): Promise<TaskView> {
  connection.onTrouble = (message) => io.err(io.errColors.yellow(message ?? 'connected again'));
  const onItem = (item: StreamItem): void => io.out(JSON.stringify(item));
  return follow({ client: connection.client, taskId, signal, tree: true, onItem });
}
