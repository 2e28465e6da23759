/** `bullpen message`: tells a task something. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';

export function registerMessage(program: Command, context: Context): void {
  const command = program
    .command('message')
    .description('tell a task something; it reads it before its next turn')
    .argument('<id>', 'id of the task')
    .argument('<text>', 'what to tell it; - reads it from stdin')
    .action((id: string, text: string, _, self: Command) => message(context, id, text, self));
  withExamples(command, [['bullpen message task_… "Leave the tests alone"', 'steer it while it runs']]);
}

async function message(context: Context, id: string, words: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const text = words === '-' ? await context.io.readStdin() : words;
  if (text.trim() === '') throw new CliError(EXIT.usage, 'The message is empty.');
  const { client } = connect(context, options);
  const sent = await client.tasks.sendMessage(id, { text });
  if (options.json) printJson(context.io, sent);
  else context.io.err(`Sent: ${id} reads it before its next turn.`);
}
