/** `bullpen cancel`. */
import type { Command } from 'commander';
import { connect, optionsOf, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { stateWords } from '../render/state.js';
import { changeTasks } from './change-tasks.js';

interface CancelFlags {
  readonly reason?: string;
}

export function registerCancel(program: Command, context: Context): void {
  const command = program
    .command('cancel')
    .addArgument(new IdArgument('<id...>', ['task'], 'ids of tasks'))
    .option('-r, --reason <text>', 'stored with the task')
    .action((ids: string[], _, self: Command) => cancel(context, ids, self));
  withExamples(command, [
    ['bullpen cancel task_… --reason "wrong folder"', 'running tools are stopped as well'],
  ]);
}

async function cancel(context: Context, ids: readonly string[], self: Command): Promise<void> {
  const options = optionsOf<CancelFlags>(self);
  const { client } = connect(context, options);
  const { reason } = options;
  await changeTasks(
    context,
    ids,
    options.json,
    (id) => client.tasks.cancel(id, reason === undefined ? {} : { reason }),
    ({ state, waitReason }) =>
      state === 'cancelled' ? 'cancelled' : `${stateWords(state, waitReason, null)}, ending`,
  );
}
