/** `bullpen resume`. */
import type { Command } from 'commander';
import { connect, optionsOf, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { stateWords } from '../render/state.js';
import { changeTasks } from './change-tasks.js';

export function registerResume(program: Command, context: Context): void {
  const command = program
    .command('resume')
    .addArgument(new IdArgument('<id...>', ['task'], 'ids of tasks'))
    .action((ids: string[], _, self: Command) => resume(context, ids, self));
  withExamples(command, [['bullpen resume task_…', 'from where it was paused']]);
}

async function resume(context: Context, ids: readonly string[], self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  await changeTasks(
    context,
    ids,
    options.json,
    (id) => client.tasks.resume(id),
    ({ state, waitReason }) => stateWords(state, waitReason, null),
  );
}
