/** `bullpen prune`: deletes trees of tasks that ended long ago. */
import { join } from 'node:path';
import { FolderPackStore } from '@bullpen/checkpoints';
import { TERMINAL_STATES, type TerminalState } from '@bullpen/contracts';
import {
  countPrunable,
  createPool,
  knownTasks,
  pruneTrees,
  WorkspaceHouse,
  type PruneFilter,
} from '@bullpen/store';
import { WorkspaceRemoval } from '@bullpen/workspace';
import { InvalidArgumentError, type Command } from 'commander';
import { optionsOf, printJson, type Context, type Options } from '../context.js';
import { withDatabase } from '../database.js';
import { reasonOf } from '../errors.js';
import { withExamples } from '../help.js';
import { plural, usd } from '../render/format.js';
import { readUpSettings } from '../stack/launch.js';
import { parseSpan } from './parse-times.js';

interface PruneFlags {
  readonly olderThan: number;
  readonly state: readonly TerminalState[];
  readonly tenant?: string;
  readonly dryRun?: boolean;
  readonly keepWorkspaces?: boolean;
}

export function registerPrune(program: Command, context: Context): void {
  const command = program
    .command('prune')
    .requiredOption('--older-than <span>', 'ended at least this long ago, like 30d or 12h', parseSpan)
    .option(
      '-s, --state <states>',
      'only roots that ended in these states, separated by commas',
      parseStates,
      [...TERMINAL_STATES],
    )
    .option('--tenant <id>', 'only trees of this tenant')
    .option('--dry-run', 'only count')
    .option('--keep-workspaces', 'keep the folders that they worked in')
    .action((_, self: Command) => prune(context, optionsOf<PruneFlags>(self)));
  withExamples(command, [
    ['bullpen prune --older-than 30d --dry-run', 'how much would be deleted'],
    ['bullpen prune --older-than 7d --state cancelled', 'safe to stop with Ctrl-C and to run again'],
  ]);
}

async function prune(context: Context, options: Options<PruneFlags>): Promise<void> {
  const settings = readUpSettings(context, options);
  const { BULLPEN_HOME, DATABASE_URL } = settings;
  const filter: PruneFilter = {
    olderThanS: Math.round(options.olderThan / 1_000),
    states: options.state,
    tenantId: options.tenant ?? null,
  };
  await withDatabase(BULLPEN_HOME, DATABASE_URL, async ({ url }) => {
    const pool = createPool({ databaseUrl: url, max: 2, applicationName: 'bullpen-prune' });
    try {
      if (options.dryRun) await count(context, pool, filter, options);
      else await deleteAll(context, pool, filter, settings, options);
    } finally {
      await pool.end();
    }
  });
}

type Pool = ReturnType<typeof createPool>;

async function count(
  { io }: Context,
  pool: Pool,
  filter: PruneFilter,
  options: Options<PruneFlags>,
): Promise<void> {
  const found = await countPrunable(pool, filter);
  if (options.json) return printJson(io, { dryRun: true, ...found });
  io.out(
    `${plural(found.trees, 'tree')} with ${plural(found.tasks, 'task')}, which cost ${usd(found.costUsd)}, would be deleted.`,
  );
}

/** Ctrl-C stops it between two trees. */
async function deleteAll(
  context: Context,
  pool: Pool,
  filter: PruneFilter,
  { BULLPEN_HOME: home, CHECKPOINT_STORE: place }: ReturnType<typeof readUpSettings>,
  options: Options<PruneFlags>,
): Promise<void> {
  const { io } = context;
  const stop = new AbortController();
  const release = context.onInterrupt(() => stop.abort());
  const house = new WorkspaceHouse(pool);
  let kept = 0;
  const folders = new WorkspaceRemoval({
    root: join(home, 'workspaces'),
    homesRoot: join(home, 'homes'),
    outputsRoot: join(home, 'outputs'),
    shadowsRoot: join(home, 'shadows'),
    workspacesOf: (rootId) => house.workspacesOf(rootId),
    // Packs in the database go with the rows of their tree.
    removeStored:
      place === 'postgres' ? undefined : (rootId) => new FolderPackStore(place.folder).removeLine(rootId),
    keepWorkspaces: options.keepWorkspaces === true,
    onProblem: (rootId, error) => {
      kept += 1;
      io.err(io.errColors.yellow(`workspace ${rootId} could not be removed: ${reasonOf(error)}`));
    },
  });
  try {
    if (!options.keepWorkspaces) await folders.recover((ids) => knownTasks(pool, ids));
    const done = await pruneTrees(
      {
        pool,
        ...filter,
        before: folders.before,
        after: folders.after,
        onBatch: ({ trees, tasks }) => {
          if (!options.json) io.err(io.errColors.dim(`${plural(trees, 'tree')}, ${plural(tasks, 'task')} …`));
        },
      },
      stop.signal,
    );
    const stopped = stop.signal.aborted;
    const result = {
      dryRun: false,
      stopped,
      ...done,
      workspacesRemoved: folders.removed,
      workspacesKept: kept,
    };
    if (options.json) return printJson(io, result);
    const end = stopped ? ' Stopped; run it again for the rest.' : '';
    io.out(
      `Deleted ${plural(done.trees, 'tree')} with ${plural(done.tasks, 'task')} and ${plural(folders.removed, 'workspace')}.${end}`,
    );
  } finally {
    release();
  }
}

function parseStates(text: string): TerminalState[] {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !TERMINAL_STATES.some((state) => state === word));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`"${unknown}" is not one of ${TERMINAL_STATES.join(', ')}.`);
  return words as TerminalState[];
}
