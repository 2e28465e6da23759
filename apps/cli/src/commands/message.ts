/** `bullpen message`: tells a task something. */
import { SendStrategy } from '@bullpen/contracts';
import { Option, type Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { limitsOf, parseBudget, parsePositive } from './task-input.js';

interface Flags {
  readonly strategy?: SendStrategy;
  readonly budget?: string;
  readonly turns?: number;
  readonly tokens?: number;
}

/** What becomes of the message, for the line that says so. */
const THEN: Readonly<Record<SendStrategy, string>> = {
  queue: 'reads it before its next turn',
  interrupt: 'stops what it is doing and reads it now',
  reject: 'reads it now',
  rollback: 'drops its current turn and reads it now',
};

export function registerMessage(program: Command, context: Context): void {
  const command = program
    .command('message')
    .alias('send')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .argument('<text>', 'the message; - reads it from stdin')
    .addOption(
      new Option(
        '-s, --strategy <strategy>',
        'what happens to the current turn: it ends first (queue), is cut off (interrupt), is dropped from the conversation (rollback), or the message is not sent (reject)',
      ).choices(SendStrategy.options),
    )
    .option(
      '-b, --budget <usd>',
      'for an ended task: new cost limit, including what it has cost; or none',
      parseBudget,
    )
    .option('-t, --turns <n>', 'for an ended task: new turn limit, including earlier attempts', parsePositive)
    .option('--tokens <n>', 'for an ended task: new token limit, including earlier attempts', parsePositive)
    .action((id: string, text: string, _, self: Command) => message(context, id, text, self));
  withExamples(command, [
    ['bullpen send task_… "Leave the tests alone"', 'steer it while it runs'],
    ['bullpen send task_… "Now add tests" --turns 200', 'an ended task goes on from where it ended'],
    ['bullpen send task_… "Not like that" --strategy rollback', 'as if its current turn had never begun'],
  ]);
}

/** The text of an argument, or of stdin for `-`. */
export async function textOf({ io }: Context, words: string): Promise<string> {
  const text = words === '-' ? await io.readStdin() : words;
  if (text.trim() === '') throw new CliError(EXIT.usage, 'The message is empty.');
  return text;
}

async function message(context: Context, id: string, words: string, self: Command): Promise<void> {
  const options = optionsOf<Flags>(self);
  const { strategy } = options;
  const text = await textOf(context, words);
  const { client } = connect(context, options);
  const sent = await client.tasks.sendMessage(id, {
    text,
    ...(strategy && { strategy }),
    ...limitsOf(options),
  });
  if (options.json) printJson(context.io, sent);
  else context.io.err(`Sent as ${sent.id}: ${id} ${THEN[strategy ?? 'queue']}.`);
}
