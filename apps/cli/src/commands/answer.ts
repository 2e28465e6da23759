/** `bullpen answer`: the answer to a question, to a used-up budget, or to an agent that is stuck. */
import type { Command } from 'commander';
import { connect, optionsOf, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { answerOne } from '../people/answer-commands.js';
import { answerOf, type AnswerFlags } from '../people/flag-answers.js';
import { collect, parseUsd } from './task-input.js';

export function registerAnswer(program: Command, context: Context): void {
  const command = program
    .command('answer')
    .addArgument(new IdArgument('<id>', ['ask'], 'id from bullpen inbox'))
    .argument('[text]', 'the answer in your own words; - reads it from stdin')
    .option('--choose <label>', 'one of the options; repeat it where several can be chosen', collect)
    .option('--text <text>', 'the same as the argument')
    .option('--cancel', 'do not answer; the agent decides on its own')
    .option('--raise <usd>', 'budget: the new limit, like 10.00', parseUsd)
    .option('--stop', 'budget, stuck: end the task with what it has so far')
    .option('--guidance <text>', 'stuck: advice on how to go on')
    .action((id: string, words: string | undefined, _, self: Command) => answer(context, id, words, self));
  withExamples(command, [
    ['bullpen answer ask_… --choose pnpm', 'one of the options'],
    ['bullpen answer ask_… "Neither: use the existing lockfile"', 'in your own words'],
    ['bullpen answer ask_… --raise 10.00', 'when the budget is used up'],
    ['bullpen answer ask_… --guidance "Read the README first"', 'for an agent that is stuck'],
  ]);
}

async function answer(context: Context, id: string, words: string | undefined, self: Command): Promise<void> {
  const options = optionsOf<AnswerFlags>(self);
  if (words !== undefined && options.text !== undefined)
    throw new CliError(EXIT.usage, 'Give the text once: as the argument or with --text.');
  const given = words ?? options.text;
  const text = given === '-' ? (await context.io.readStdin()).trim() : given;
  if (text?.trim() === '') throw new CliError(EXIT.usage, 'The answer is empty.');
  const flags = { ...options, ...(text === undefined ? {} : { text }) };
  const { client } = connect(context, options);
  await answerOne({ context, client, json: options.json === true }, [id], (view) => answerOf(view, flags));
}
