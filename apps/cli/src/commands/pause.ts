/** `bullpen pause`. */
import type { Command } from 'commander';
import { connect, optionsOf, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { changeTasks } from './change-tasks.js';

export function registerPause(program: Command, context: Context): void {
  const command = program
    .command('pause')
    .addArgument(new IdArgument('<id...>', ['task'], 'ids of tasks'))
    .option('-n, --now', 'cut off the running model call or tool instead of waiting for its end')
    .action((ids: string[], _, self: Command) => pause(context, ids, self));
  withExamples(command, [
    ['bullpen pause task_…', 'it stops after its current step'],
    ['bullpen resume task_…', 'and goes on from there'],
  ]);
}

async function pause(context: Context, ids: readonly string[], self: Command): Promise<void> {
  const { now = false, ...options } = optionsOf<{ now?: boolean }>(self);
  const { client } = connect(context, options);
  await changeTasks(
    context,
    ids,
    options.json,
    (id) => client.tasks.pause(id, { now }),
    ({ state }) => (state === 'paused' ? 'paused' : 'pauses when its current step ends'),
  );
}
