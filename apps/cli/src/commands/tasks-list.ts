/** `bullpen tasks list`. */
import type { TaskFilter } from '@bullpen/client';
import { TaskState, type TaskPage, type TaskView } from '@bullpen/contracts';
import { InvalidArgumentError, type Command } from 'commander';
import { connect, optionsOf, printJson, type Client, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { IdOption } from '../ids/id-parameters.js';
import { taskTable } from '../render/task-table.js';
import { parsePositive } from './task-input.js';

interface ListFlags {
  readonly state?: readonly TaskState[];
  readonly agent?: string;
  readonly tag?: string;
  readonly root?: string;
  readonly search?: string;
  readonly limit: number;
  readonly all?: boolean;
  readonly subtasks?: boolean;
}

const LARGEST_PAGE = 200;

export function registerTasksList(tasks: Command, context: Context): void {
  const command = tasks
    .command('list')
    .alias('ls')
    .description('tasks, newest first; only roots unless --subtasks or --root is given')
    .option(
      '-s, --state <states>',
      `only these states, separated by commas: ${TaskState.options.join(', ')}`,
      parseStates,
    )
    .option('-a, --agent <name>', 'only tasks of this agent')
    .option('--tag <tag>', 'only with this tag')
    .addOption(new IdOption('--root <id>', ['task'], "only tasks of this root's tree"))
    .option('-q, --search <text>', 'only with this text in title or prompt')
    .option('-n, --limit <n>', 'at most this many', parsePositive, 20)
    .option('--all', 'all of them, page by page')
    .option('--subtasks', 'also subtasks')
    .action((_, self: Command) => list(context, self));
  withExamples(command, [
    ['bullpen tasks list', 'the newest 20'],
    ['bullpen tasks list --state failed --search login', 'find one that went wrong'],
    ['bullpen tasks list --all --json | jq -r ".data[].id"', 'for scripts'],
  ]);
}

async function list(context: Context, self: Command): Promise<void> {
  const options = optionsOf<ListFlags>(self);
  const { client } = connect(context, options);
  const page = await readPages(client, options);
  const { io } = context;
  if (options.json) return printJson(io, page);
  if (page.data.length === 0) io.err(io.errColors.dim('No tasks match.'));
  else io.out(taskTable(page.data, io.tableColumns(), io.now(), io.outColors));
  if (page.data.some(({ waitReason }) => waitReason === 'provider'))
    io.err(io.errColors.yellow('Some wait for a provider key: bullpen providers list says why.'));
  if (page.hasMore) io.err(io.errColors.dim('There are more: use --limit, --all or a filter.'));
}

async function readPages(client: Client, options: ListFlags): Promise<TaskPage> {
  const wanted = options.all ? Infinity : options.limit;
  const data: TaskView[] = [];
  let after: string | undefined;
  for (;;) {
    const limit = Math.min(LARGEST_PAGE, wanted - data.length);
    const page = await client.tasks.list({
      ...filterOf(options),
      limit,
      ...(after === undefined ? {} : { after }),
    });
    data.push(...page.data);
    if (!page.hasMore || page.nextCursor === null || data.length >= wanted) return { ...page, data };
    after = page.nextCursor;
  }
}

function filterOf({ state, agent, tag, root, search, subtasks }: ListFlags): TaskFilter {
  return {
    ...(state === undefined ? {} : { state: [...state] }),
    ...(agent === undefined ? {} : { agent }),
    ...(tag === undefined ? {} : { tag }),
    ...(search === undefined ? {} : { q: search }),
    ...(root !== undefined ? { rootId: root } : subtasks ? {} : { roots: true }),
  };
}

function parseStates(text: string): TaskState[] {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !TaskState.safeParse(word).success);
  if (unknown !== undefined)
    throw new InvalidArgumentError(`"${unknown}" is not one of ${TaskState.options.join(', ')}.`);
  return words as TaskState[];
}
