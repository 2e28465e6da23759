/** `bullpen tasks diff`: what a task changed. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context, type Options } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument, IdOption } from '../ids/id-parameters.js';
import { diffText } from '../render/checkpoint-views.js';
import { showDifference } from './checkpoints-diff.js';

interface Flags {
  readonly patch?: true;
  readonly from?: string;
  readonly to?: string;
}

/** Adds `tasks diff`. */
export function registerTasksDiff(tasks: Command, context: Context): void {
  const command = tasks
    .command('diff')
    .description('what a task changed, file by file')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .addOption(new IdOption('--from <checkpoint>', ['ckpt'], 'since this checkpoint, not since the first'))
    .addOption(new IdOption('--to <checkpoint>', ['ckpt'], 'up to this checkpoint, not up to now'))
    .option('--patch', 'the lines, for git apply')
    .action((id: string, _, self: Command) => diff(context, id, self));
  withExamples(command, [
    ['bullpen tasks diff task_…', 'which files, and how much'],
    ['bullpen tasks diff task_… --patch > work.patch', 'all of it, also binary files'],
    ['bullpen tasks diff task_… --from ckpt_…', 'only what came after a checkpoint'],
  ]);
}

async function diff(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<Flags>(self);
  const { io } = context;
  const { checkpoints } = connect(context, options).client;
  if (options.from !== undefined || options.to !== undefined) return between(context, id, options);
  if (options.patch) return io.outBytes(await checkpoints.patch(id));
  const answer = await checkpoints.diff(id);
  if (options.json) return printJson(io, answer);
  if (answer.from === null || answer.diffstat.files === 0)
    return io.err(io.errColors.dim('This task has changed no files.'));
  io.out(diffText(answer.diffstat));
  io.err(io.errColors.dim(`Take it: bullpen apply ${id}`));
}

/** Part of what it changed: since a checkpoint, up to one, or both. */
async function between(
  context: Context,
  id: string,
  { from, to, ...options }: Options<Flags>,
): Promise<void> {
  const { checkpoints } = connect(context, options).client;
  const since = from ?? (await checkpoints.diff(id)).from;
  if (since !== null) return showDifference(context, since, to, options);
  context.io.err(context.io.errColors.dim('This task has no checkpoints.'));
}
