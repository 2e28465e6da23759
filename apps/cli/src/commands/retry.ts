/** `bullpen retry`: another attempt at a failed task, an ended one run again, or many failed ones at once. */
import { StopCause, type RetryTaskInput } from '@bullpen/contracts';
import { InvalidArgumentError, type Command } from 'commander';
import { connect, optionsOf, PATIENT_RETRIES, printJson, type Context, type Options } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { IdArgument, IdOption } from '../ids/id-parameters.js';
import { followToEnd } from './follow-to-end.js';
import { retryFailed, type BulkFlags } from './retry-failed.js';
import { parsePast } from './parse-times.js';
import { LIMITS_AGAIN, limitsOf, withLimitFlags, type LimitFlags } from './task-input.js';

interface RetryFlags extends BulkFlags, LimitFlags {
  readonly message?: string;
  readonly new?: boolean;
  readonly from?: string;
  readonly follow?: boolean;
}

export function registerRetry(program: Command, context: Context): void {
  const command = program
    .command('retry')
    .addArgument(new IdArgument('[id]', ['task'], 'id of the task; or use --failed'))
    .option('--new', 'as a new task that reuses nothing; works for any task that has ended, even a subtask')
    .addOption(
      new IdOption('--from <checkpoint>', ['ckpt'], 'as a new task that goes on from this checkpoint of it'),
    )
    .option('-f, --follow', 'watch it live, like run')
    .option('-m, --message <text>', 'a message for the agent')
    .option('--failed', 'all failed tasks that match; only shows what would be done unless --yes is given')
    .option(
      '--cause <cause>',
      `with --failed: only those that ended by ${StopCause.options.join(', ')}`,
      parseCause,
    )
    .option('--error-class <class>', 'with --failed: only after this model error, like rate_limit')
    .option('--agent <name>', 'with --failed: only tasks of this agent')
    .option('--tag <tag>', 'with --failed: only with this tag')
    .option(
      '--since <time>',
      'with --failed: only those submitted since then: a span like 2h, or a time',
      parsePast,
    )
    .option('-y, --yes', 'with --failed: do it')
    .action((id: string | undefined, _, self: Command) => retry(context, id, optionsOf<RetryFlags>(self)));
  withLimitFlags(command, LIMITS_AGAIN);
  withExamples(command, [
    ['bullpen retry task_…', 'finished work is kept and not paid for again'],
    ['bullpen retry task_… --budget 10', 'after it reached its cost limit'],
    ['bullpen retry task_… --new --follow', 'once more from the start'],
    ['bullpen retry task_… --from ckpt_…', 'from a place where all was still well'],
    [
      'bullpen retry --failed --error-class overload --since 2h',
      'what an outage left behind; add --yes to do it',
    ],
  ]);
}

async function retry(context: Context, id: string | undefined, options: Options<RetryFlags>): Promise<void> {
  if ((id === undefined) !== (options.failed === true))
    throw new CliError(EXIT.usage, 'Give either a task or --failed for all that failed.', [
      'bullpen retry task_…',
      'bullpen retry --failed',
    ]);
  if (id === undefined && options.from !== undefined)
    throw new CliError(EXIT.usage, '--from is a checkpoint of one task: give the task.');
  if (id === undefined) return retryFailed(context, options, bodyOf(options));
  const connection = connect(context, options, options.follow ? PATIENT_RETRIES : undefined);
  const task = await connection.client.tasks.retry(id, bodyOf(options));
  const anew = task.id !== id;
  const after = anew && task.forkedFrom === null ? undefined : task.eventSeq;
  if (options.follow) return followToEnd(context, connection, task, options.json === true, after);
  if (options.json) return printJson(context.io, task);
  const what = anew ? `runs again as ${task.id}` : `is queued: attempt ${task.attempt}`;
  context.io.err(`${id} ${what}. Watch it: ${context.command} tasks watch ${task.id}`);
}

function bodyOf(flags: RetryFlags): RetryTaskInput {
  const { message, new: anew, from: fromCheckpoint } = flags;
  return {
    ...(fromCheckpoint !== undefined && { fromCheckpoint }),
    ...(anew && { mode: 'new' as const }),
    ...(message !== undefined && { message }),
    ...limitsOf(flags),
  };
}

function parseCause(text: string): StopCause {
  const cause = StopCause.safeParse(text);
  if (cause.success) return cause.data;
  throw new InvalidArgumentError(`It must be one of ${StopCause.options.join(', ')}.`);
}
