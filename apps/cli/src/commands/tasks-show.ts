/** `bullpen tasks show`. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { taskDetails } from '../render/task-details.js';

export function registerTasksShow(tasks: Command, context: Context): void {
  const command = tasks
    .command('show')
    .description('everything about one task')
    .argument('<id>', 'id of the task')
    .action((id: string, _, self: Command) => show(context, id, self));
  withExamples(command, [
    ['bullpen tasks show task_…', 'state, output, cost, limits, attempts, tools'],
    ['bullpen tasks show task_… --json', 'the same as JSON'],
  ]);
}

async function show(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const [task, usage, attempts] = await Promise.all([
    client.tasks.get(id),
    client.tasks.usage(id),
    client.tasks.attempts(id),
  ]);
  const { io } = context;
  if (options.json) return printJson(io, { task, usage, attempts });
  io.out(
    taskDetails({ task, usage, attempts }, { colors: io.outColors, width: io.columns(), now: io.now() }),
  );
}
