/** `bullpen workspaces`: where the files of tasks are, and what they take. */
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { workspaceTable, workspaceTotals } from '../render/workspace-views.js';
import { parsePositive } from './task-input.js';

interface Flags {
  readonly limit: number;
}

const LARGEST_PAGE = 200;

/** Adds `workspaces`. */
export function registerWorkspaces(program: Command, context: Context): void {
  const command = program
    .command('workspaces')
    .option('-n, --limit <n>', `at most this many, up to ${LARGEST_PAGE}`, parsePositive, 20)
    .action((_, self: Command) => showList(context, self));
  withExamples(command, [
    ['bullpen workspaces', 'the newest ones, and what all of them take'],
    ['bullpen workspaces -n 200 --json', 'as data'],
  ]);
}

async function showList(context: Context, self: Command): Promise<void> {
  const options = optionsOf<Flags>(self);
  const { io } = context;
  const limit = Math.min(options.limit, LARGEST_PAGE);
  const page = await connect(context, options).client.workspaces.list({ limit });
  if (options.json) return printJson(io, page);
  if (page.data.length === 0) return io.err(io.errColors.dim('No task has had a workspace yet.'));
  io.out(workspaceTable(page.data, { width: io.tableColumns(), now: io.now(), colors: io.outColors }));
  io.err(io.errColors.dim(workspaceTotals(page.totals)));
  if (page.hasMore) io.err(io.errColors.dim(`There are more: --limit ${LARGEST_PAGE}`));
}
