/** Deletes trees that ended long ago, when the installation has a time after which that is wanted. */
import { join } from 'node:path';
import { TERMINAL_STATES } from '@bullpen/contracts';
import type { Logger } from '@bullpen/platform';
import type { ReconcilerJob } from '@bullpen/queue';
import { knownTasks, pruneTrees, WorkspaceHouse, type createPool } from '@bullpen/store';
import { WorkspaceRemoval } from '@bullpen/workspace';

export interface RetentionOptions {
  readonly pool: ReturnType<typeof createPool>;
  /** Holds what commands have said. */
  readonly home: string;
  /** Holds the workspaces; only those of this machine are removed. */
  readonly own: string;
  /** Undefined: everything is kept. */
  readonly days: number | undefined;
  /** Removes what is stored of a tree elsewhere than in the database; undefined when there is no such place. */
  readonly removeStored?: ((rootId: string) => Promise<void>) | undefined;
  readonly logger: Logger;
}

const EVERY_MS = 3_600_000;
/** Small, so that a stop is never waited for. */
const BATCH = 20;

/** The job, when there is something to do at all. The signal stops it between two trees. */
export function retentionJob(
  { pool, home, own, days, removeStored, logger }: RetentionOptions,
  signal: AbortSignal,
): readonly ReconcilerJob[] {
  if (days === undefined) return [];
  const house = new WorkspaceHouse(pool);
  const run = async (): Promise<number> => {
    const folders = new WorkspaceRemoval({
      root: join(own, 'workspaces'),
      homesRoot: join(own, 'homes'),
      outputsRoot: join(home, 'outputs'),
      shadowsRoot: join(own, 'shadows'),
      workspacesOf: (rootId) => house.workspacesOf(rootId),
      removeStored,
      onProblem: (rootId, err) => logger.warn({ err, rootId }, 'a workspace could not be removed'),
    });
    await folders.recover((ids) => knownTasks(pool, ids));
    const { trees, tasks } = await pruneTrees(
      {
        pool,
        olderThanS: days * 86_400,
        states: TERMINAL_STATES,
        tenantId: null,
        batch: BATCH,
        before: folders.before,
        after: folders.after,
      },
      signal,
    );
    if (trees > 0) logger.info({ trees, tasks, workspaces: folders.removed, days }, 'old tasks were deleted');
    // Time is no repair.
    return 0;
  };
  return [{ name: 'retention', everyMs: EVERY_MS, run }];
}
