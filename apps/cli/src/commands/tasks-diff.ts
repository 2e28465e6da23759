/** `bullpen tasks diff`: what a task changed. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { diffText } from '../render/checkpoint-views.js';

interface Flags {
  readonly patch?: true;
}

/** Adds `tasks diff`. */
export function registerTasksDiff(tasks: Command, context: Context): void {
  const command = tasks
    .command('diff')
    .description('what a task changed, file by file')
    .addArgument(new IdArgument('<id>', ['task'], 'id of the task'))
    .option('--patch', 'the lines, for git apply')
    .action((id: string, _, self: Command) => diff(context, id, self));
  withExamples(command, [
    ['bullpen tasks diff task_…', 'which files, and how much'],
    ['bullpen tasks diff task_… --patch > work.patch', 'all of it, also binary files'],
  ]);
}

async function diff(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf<Flags>(self);
  const { io } = context;
  const { checkpoints } = connect(context, options).client;
  if (options.patch) return io.outBytes(await checkpoints.patch(id));
  const answer = await checkpoints.diff(id);
  if (options.json) return printJson(io, answer);
  if (answer.from === null || answer.diffstat.files === 0)
    return io.err(io.errColors.dim('This task has changed no files.'));
  io.out(diffText(answer.diffstat));
  io.err(io.errColors.dim(`Take it: bullpen apply ${id}`));
}
