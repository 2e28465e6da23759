/** `bullpen message`: tells a task something. */
import { isTerminal, SendStrategy } from '@bullpen/contracts';
import { Option, type Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { LIMITS_AGAIN, limitsOf, withLimitFlags, type LimitFlags } from './task-input.js';

interface Flags extends LimitFlags {
  readonly strategy?: SendStrategy;
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
    .action((id: string, text: string, _, self: Command) => message(context, id, text, self));
  withLimitFlags(command, {
    budget: `for an ended task: ${LIMITS_AGAIN.budget}`,
    turns: `for an ended task: ${LIMITS_AGAIN.turns}`,
    tokens: `for an ended task: ${LIMITS_AGAIN.tokens}`,
  });
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
  const { tasks } = connect(context, options).client;
  const before = options.json ? null : await tasks.get(id);
  const sent = await tasks.sendMessage(id, {
    text,
    ...(strategy && { strategy }),
    ...limitsOf(options),
  });
  if (before === null) return printJson(context.io, sent);
  const then = isTerminal(before.state)
    ? `had ended and goes on with it: attempt ${before.attempt + 1} begins`
    : THEN[strategy ?? 'queue'];
  context.io.err(`Sent as ${sent.id}: ${id} ${then}.`);
}
