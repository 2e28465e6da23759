/** `bullpen cancel`. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { stateWords } from '../render/state.js';

interface CancelFlags {
  readonly reason?: string;
}

export function registerCancel(program: Command, context: Context): void {
  const command = program
    .command('cancel')
    .description('end a task and its subtasks; what they have done so far is kept')
    .argument('<id...>', 'ids of tasks')
    .option('-r, --reason <text>', 'kept with the task')
    .action((ids: string[], _, self: Command) => cancel(context, ids, self));
  withExamples(command, [
    ['bullpen cancel task_… --reason "wrong folder"', 'running tools are stopped, too'],
  ]);
}

async function cancel(context: Context, ids: readonly string[], self: Command): Promise<void> {
  const options = optionsOf<CancelFlags>(self);
  const { client } = connect(context, options);
  const { io } = context;
  const tasks = [];
  for (const id of ids) {
    // One after the other: the first that is refused names itself, and nothing after it was touched.
    const task = await client.tasks.cancel(
      id,
      options.reason === undefined ? {} : { reason: options.reason },
    );
    tasks.push(task);
    const state =
      task.state === 'cancelled' ? 'cancelled' : `${stateWords(task.state, task.waitReason, null)}, ending`;
    if (!options.json) io.err(`${id} ${state}`);
  }
  if (options.json) printJson(io, ids.length === 1 ? tasks[0] : { data: tasks });
}
