/** `bullpen messages …`: what was sent to a task, and what of it can still be changed. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { isPending, readMessages } from '../live/inbox-messages.js';
import { messageTable } from '../render/message-table.js';
import { textOf } from './message.js';

interface Flags {
  readonly pending?: boolean;
}

export function registerMessages(program: Command, context: Context): void {
  const messages = program.command('messages');
  withExamples(messages, [
    ['bullpen messages task_… --pending', 'those that it has not read'],
    ['bullpen messages edit task_… inbox_… "Leave the tests alone"', 'change one before it is read'],
    ['bullpen messages withdraw task_… inbox_…', 'take one back before it is read'],
  ]);
  const all = messages
    .command('list', { isDefault: true })
    .alias('ls')
    .description('all of them, oldest first')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .option('--pending', 'only unread ones')
    .action((id: string, _, self: Command) => list(context, id, self));
  withExamples(all, [['bullpen messages list task_…', 'and what happened to each']]);
  const edited = messages
    .command('edit')
    .description('change a message that the agent has not read')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .addArgument(new IdArgument('<message>', ['inbox'], 'id of the message'))
    .argument('<text>', 'the new text; - reads it from stdin')
    .action((id: string, message: string, text: string, _, self: Command) =>
      edit(context, id, message, text, self),
    );
  withExamples(edited, [['bullpen messages edit task_… inbox_… "Only the linter"', 'replaces the old text']]);
  const withdrawn = messages
    .command('withdraw')
    .alias('rm')
    .description('take back a message that the agent has not read')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .addArgument(new IdArgument('<message>', ['inbox'], 'id of the message'))
    .action((id: string, message: string, _, self: Command) => withdraw(context, id, message, self));
  withExamples(withdrawn, [['bullpen messages withdraw task_… inbox_…', 'as if it had never been sent']]);
}

async function list(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<Flags>(self);
  const { io } = context;
  const all = await readMessages(connect(context, options).client, id);
  const data = options.pending ? all.filter(isPending) : all;
  if (options.json) return printJson(io, { data });
  if (data.length === 0) io.err(io.errColors.dim('No messages match.'));
  else io.out(messageTable(data, io.tableColumns(), io.now(), io.outColors));
}

async function edit(
  context: Context,
  id: string,
  message: string,
  words: string,
  self: Command,
): Promise<void> {
  const options = optionsOf(self);
  const text = await textOf(context, words);
  const changed = await connect(context, options).client.tasks.editMessage(id, message, text);
  if (options.json) printJson(context.io, changed);
  else context.io.err(`${message} is changed`);
}

async function withdraw(context: Context, id: string, message: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const changed = await connect(context, options).client.tasks.withdrawMessage(id, message);
  if (options.json) printJson(context.io, changed);
  else context.io.err(`${message} is withdrawn`);
}
