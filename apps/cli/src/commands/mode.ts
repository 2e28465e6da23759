/** `bullpen mode`: switches the autonomy of a task while it lives. */
import { Autonomy } from '@bullpen/contracts';
import { Argument, type Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';

export function registerMode(program: Command, context: Context): void {
  const command = program
    .command('mode')
    .addArgument(new IdArgument('<task>', ['task'], 'id of the task'))
    .addArgument(new Argument('<autonomy>', 'how it works from now on').choices(Autonomy.options))
    .action((id: string, autonomy: Autonomy, _, self: Command) => mode(context, id, autonomy, self));
  withExamples(command, [
    ['bullpen mode task_… background', 'go on without asking; anything it would ask is refused'],
    ['bullpen mode task_… plan', 'make no more changes, and present a plan'],
  ]);
}

async function mode(context: Context, id: string, autonomy: Autonomy, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const task = await client.tasks.switchAutonomy(id, autonomy);
  if (options.json) return printJson(context.io, task);
  context.io.err(`${id} now has autonomy ${task.autonomy}`);
}
