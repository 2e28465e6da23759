/** `bullpen interrupt`. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';

export function registerInterrupt(program: Command, context: Context): void {
  const command = program
    .command('interrupt')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .argument(
      '[message]',
      'what to do instead; without it the task is paused (a conversation waits for your next message)',
    )
    .action((id: string, message: string | undefined, _, self: Command) =>
      interrupt(context, id, message, self),
    );
  withExamples(command, [
    ['bullpen interrupt task_… "Leave the tests alone, fix the build first"', 'it goes on with that at once'],
    ['bullpen interrupt task_…', 'like bullpen pause --now; a conversation only stops its answer'],
  ]);
}

async function interrupt(
  context: Context,
  id: string,
  message: string | undefined,
  self: Command,
): Promise<void> {
  const options = optionsOf(self);
  const { client } = connect(context, options);
  const task = await client.tasks.interrupt(id, message === undefined ? {} : { message });
  if (options.json) return printJson(context.io, task);
  const stopped = task.pauseRequested ? 'paused' : 'waits for your next message';
  const then = message === undefined ? stopped : 'goes on with your message';
  context.io.err(`${id} is interrupted and ${task.state === 'paused' ? 'stays paused' : then}`);
}
