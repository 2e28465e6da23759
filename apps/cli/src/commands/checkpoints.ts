/** `bullpen checkpoints …`: the stored states of a task's files. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdArgument } from '../ids/id-parameters.js';
import { checkpointDetails, checkpointTable } from '../render/checkpoint-views.js';
import { registerCheckpointsDiff } from './checkpoints-diff.js';
import { registerCheckpointsFork } from './checkpoints-fork.js';
import { registerCheckpointsRestore } from './checkpoints-restore.js';
import { parsePositive } from './task-input.js';

interface ListFlags {
  readonly limit: number;
}

const LARGEST_PAGE = 200;

export function registerCheckpoints(program: Command, context: Context): void {
  const checkpoints = program.command('checkpoints');
  withExamples(checkpoints, [
    ['bullpen checkpoints list task_…', 'when its files changed, and how much'],
    ['bullpen checkpoints show ckpt_…', 'which files changed'],
    ['bullpen checkpoints diff ckpt_…', 'what has changed since then'],
    ['bullpen checkpoints fork ckpt_… "Try another way"', 'a new task that goes on from there'],
    ['bullpen checkpoints restore ckpt_…', 'go back to it, after a look'],
  ]);
  const list = checkpoints
    .command('list')
    .alias('ls')
    .description('checkpoints of a task, newest first')
    .addArgument(new IdArgument('<task>', ['task'], 'id of the task'))
    .option('-n, --limit <n>', `at most this many, up to ${LARGEST_PAGE}`, parsePositive, 20)
    .action((id: string, _, self: Command) => showList(context, id, self));
  withExamples(list, [['bullpen checkpoints list task_…', 'when its files changed, and how much']]);
  const show = checkpoints
    .command('show')
    .description('one checkpoint: the files that changed since the one before, and what it leaves out')
    .addArgument(new IdArgument('<id>', ['ckpt'], 'id of the checkpoint'))
    .action((id: string, _, self: Command) => showOne(context, id, self));
  withExamples(show, [['bullpen checkpoints show ckpt_…', 'which files changed']]);
  registerCheckpointsDiff(checkpoints, context);
  registerCheckpointsFork(checkpoints, context);
  registerCheckpointsRestore(checkpoints, context);
}

async function showList(context: Context, taskId: string, self: Command): Promise<void> {
  const options = optionsOf<ListFlags>(self);
  const { io } = context;
  const limit = Math.min(options.limit, LARGEST_PAGE);
  const page = await connect(context, options).client.checkpoints.list(taskId, { limit });
  if (options.json) return printJson(io, page);
  if (page.data.length === 0) return io.err(io.errColors.dim('This task has no checkpoints.'));
  io.out(checkpointTable(page.data, { width: io.tableColumns(), now: io.now(), colors: io.outColors }));
  if (page.hasMore) io.err(io.errColors.dim(`There are more: --limit ${LARGEST_PAGE}`));
}

async function showOne(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const checkpoint = await connect(context, options).client.checkpoints.get(id);
  if (options.json) printJson(context.io, checkpoint);
  else context.io.out(checkpointDetails(checkpoint));
}
