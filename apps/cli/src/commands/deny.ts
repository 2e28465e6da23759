/** `bullpen deny`: no to a call; a plan goes back with what is to change. */
import type { Command } from 'commander';
import { connect, optionsOf, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { answerOne } from '../people/answer-commands.js';
import { denial } from '../people/flag-answers.js';

export function registerDeny(program: Command, context: Context): void {
  const command = program
    .command('deny')
    .description('refuse a call that waits for you, or send a plan back; the agent goes on without it')
    .argument('<id...>', 'ids from bullpen inbox; the last letters will do')
    .option('--remark <text>', 'what the agent is told: why not, or what to do instead')
    .action((ids: string[], _, self: Command) => deny(context, ids, self));
  withExamples(command, [
    ['bullpen deny ask_… --remark "Use npm, not yarn"', 'the agent reads the remark'],
    ['bullpen deny ask_… --remark "Tests first"', 'a plan comes back changed'],
  ]);
}

async function deny(context: Context, ids: readonly string[], self: Command): Promise<void> {
  const options = optionsOf<{ remark?: string }>(self);
  const { client } = connect(context, options);
  const to = { context, client, json: options.json === true };
  await answerOne(to, ids, (view) => denial(view, options.remark));
}
