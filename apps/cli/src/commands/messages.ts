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
  const messages = program
    .command('messages')
    .description('messages that were sent to a task; those that it has not read can be changed');
  withExamples(messages, [
    ['bullpen messages task_… --pending', 'what it has not read'],
    ['bullpen messages edit task_… inbox_… "Leave the tests alone"', 'before it reads it'],
    ['bullpen messages withdraw task_… inbox_…', 'it never does'],
  ]);
  const all = messages
    .command('list', { isDefault: true })
    .alias('ls')
    .description('all of them, oldest first')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .option('--pending', 'only those that wait to be read')
    .action((id: string, _, self: Command) => list(context, id, self));
  withExamples(all, [['bullpen messages list task_…', 'with what became of each']]);
  const edited = messages
    .command('edit')
    .description('change a message that the agent has not read')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .addArgument(new IdArgument('<message>', ['inbox'], 'id of the message'))
    .argument('<text>', 'what it is to say; - reads it from stdin')
    .action((id: string, message: string, text: string, _, self: Command) =>
      edit(context, id, message, text, self),
    );
  withExamples(edited, [
    ['bullpen messages edit task_… inbox_… "Only the linter"', 'instead of what it said'],
  ]);
  const withdrawn = messages
    .command('withdraw')
    .alias('rm')
    .description('take a message back that the agent has not read')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .addArgument(new IdArgument('<message>', ['inbox'], 'id of the message'))
    .action((id: string, message: string, _, self: Command) => withdraw(context, id, message, self));
  withExamples(withdrawn, [['bullpen messages withdraw task_… inbox_…', 'as if it had not been sent']]);
}

async function list(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<Flags>(self);
  const { io } = context;
  const all = await readMessages(connect(context, options).client, id);
  const data = options.pending ? all.filter(isPending) : all;
  if (options.json) return printJson(io, { data });
  if (data.length === 0) io.err(io.errColors.dim('No such messages.'));
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
