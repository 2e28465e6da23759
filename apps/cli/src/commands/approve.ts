/** `bullpen approve`: yes to a call or to a plan. */
import { PLAN_AUTONOMIES, PolicyScope } from '@bullpen/contracts';
import { Option, type Command } from 'commander';
import { connect, optionsOf, type Context, type Options } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdArgument, IdOption } from '../ids/id-parameters.js';
import { answerAllOf, answerOne, refuseTaskAlone, type AnswerContext } from '../people/answer-commands.js';
import { approval, type ApproveFlags } from '../people/flag-answers.js';
import { readJson, readTextArgument } from './read-arguments.js';

interface Flags extends Omit<ApproveFlags, 'args'> {
  readonly args?: string;
  readonly all?: boolean;
  readonly task?: string;
}

export function registerApprove(program: Command, context: Context): void {
  const command = program
    .command('approve')
    .addArgument(new IdArgument('[id...]', ['ask'], 'ids from bullpen inbox'))
    .option('--args <json>', 'run it with these arguments instead: JSON, @file, or - for stdin')
    .option('--remark <text>', 'a note to the agent')
    .addOption(
      new Option(
        '--remember <where>',
        'do not ask again for similar calls in this task, project or installation',
      ).choices(PolicyScope.options),
    )
    .addOption(
      new Option('--autonomy <autonomy>', 'plan: the autonomy to carry it out with').choices(PLAN_AUTONOMIES),
    )
    .option('--plan <text>', 'plan: your own version as text, @file, or - for stdin')
    .option('--all', 'every call that waits in the task given by --task')
    .addOption(new IdOption('--task <id>', ['task'], 'the task for --all; for a root, its whole tree'))
    .action((ids: string[], _, self: Command) => approve(context, ids, optionsOf<Flags>(self)));
  withExamples(command, [
    ['bullpen approve ask_…', 'exactly this call, once'],
    ['bullpen approve ask_… --args \'{"command": "npm test"}\'', 'run this instead; the agent is told'],
    ['bullpen approve ask_… --remember task', 'and do not ask again for similar calls in this task'],
    ['bullpen approve ask_… --autonomy background --plan @plan.md', 'accept your version of a plan'],
    ['bullpen approve --all --task task_…', 'all calls that wait in a tree'],
  ]);
}

async function approve(context: Context, ids: readonly string[], options: Options<Flags>): Promise<void> {
  const { args, plan, ...flags } = options;
  const edited = {
    ...flags,
    ...(args === undefined ? {} : { args: await readJson(context, args, '--args') }),
    ...(plan === undefined ? {} : { plan: await readTextArgument(context, plan, '--plan') }),
  };
  const { client } = connect(context, options);
  const to: AnswerContext = { context, client, json: options.json === true };
  if (options.all) return approveAll(to, ids, options.task, edited);
  refuseTaskAlone(options.task);
  if (ids.length === 0)
    throw new CliError(EXIT.usage, 'Say what to approve.', ['see what waits: bullpen inbox']);
  if (ids.length > 1 && (args !== undefined || plan !== undefined))
    throw new CliError(EXIT.usage, '--args and --plan work with one id at a time.');
  await answerOne(to, ids, (view) => approval(view, edited));
}

async function approveAll(
  to: AnswerContext,
  ids: readonly string[],
  task: string | undefined,
  flags: ApproveFlags,
): Promise<void> {
  if (flags.args !== undefined || flags.plan !== undefined || flags.autonomy !== undefined)
    throw new CliError(EXIT.usage, '--args, --plan and --autonomy work with one id at a time.');
  await answerAllOf(to, { ids, task }, (view) => approval(view, flags));
}
