/** `bullpen deny`: no to a call; a plan goes back with what is to change. */
import type { InteractionAnswer, InteractionView } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { IdArgument, IdOption } from '../ids/id-parameters.js';
import { answerAllOf, answerOne, refuseTaskAlone } from '../people/answer-commands.js';
import { denial } from '../people/flag-answers.js';

interface Flags {
  readonly remark?: string;
  readonly all?: boolean;
  readonly task?: string;
}

export function registerDeny(program: Command, context: Context): void {
  const command = program
    .command('deny')
    .addArgument(new IdArgument('[id...]', ['ask'], 'ids from bullpen inbox'))
    .option('--remark <text>', 'a note to the agent: why not, or what to do instead')
    .option('--all', 'every call that waits in the task given by --task')
    .addOption(new IdOption('--task <id>', ['task'], 'the task for --all; for a root, its whole tree'))
    .action((ids: string[], _, self: Command) => deny(context, ids, self));
  withExamples(command, [
    ['bullpen deny ask_… --remark "Use npm, not yarn"', 'the agent reads the remark'],
    ['bullpen deny ask_… --remark "Tests first"', 'the agent revises its plan'],
    ['bullpen deny --all --task task_…', 'all calls that wait in a tree'],
  ]);
}

async function deny(context: Context, ids: readonly string[], self: Command): Promise<void> {
  const options = optionsOf<Flags>(self);
  const { client } = connect(context, options);
  const to = { context, client, json: options.json === true };
  const answerOf = (view: InteractionView): InteractionAnswer => denial(view, options.remark);
  if (options.all) return answerAllOf(to, { ids, task: options.task }, answerOf);
  refuseTaskAlone(options.task);
  if (ids.length === 0)
    throw new CliError(EXIT.usage, 'Say what to deny.', ['see what waits: bullpen inbox']);
  await answerOne(to, ids, answerOf);
}
