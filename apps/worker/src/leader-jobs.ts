/**
 * All that the holder of the reconciler's role does. One list, because each of these asks the database again and again, for ever: a
 * spec runs them on a large history and counts the rows that they read.
 */
import { join } from 'node:path';
import { FolderPackStore, packStoreAt } from '@bullpen/checkpoints';
import type { Logger, WorkerSettings } from '@bullpen/platform';
import type { ReconcilerJob } from '@bullpen/queue';
import { CheckpointHouse, PostgresPackStore, PromptBodies, type createPool } from '@bullpen/store';
import { invariantWatch } from './invariant-watch.js';
import { ownFolderOf } from './own-folder-of.js';
import { promptLogJob } from './prompt-log.js';
import { reconcilerJobs, type ReconcilerJobDeps } from './reconciler-jobs.js';
import { retentionJob } from './retention.js';
import { compactionJob } from './workspaces/compaction.js';
import { webhookJobs } from './webhooks/webhook-jobs.js';

export interface LeaderJobDeps extends ReconcilerJobDeps {
  readonly settings: Pick<
    WorkerSettings,
    | 'BULLPEN_HOME'
    | 'CHECKPOINT_KEEP_DAYS'
    | 'CHECKPOINT_STORE'
    | 'CHECKPOINT_TOTAL_BYTES'
    | 'INVARIANTS_EVERY_MS'
    | 'PROMPT_BODIES_DAYS'
    | 'RETENTION_DAYS'
    | 'WORKER_FOLDER'
  >;
  readonly pool: ReturnType<typeof createPool>;
  readonly logger: Logger;
  /** Called when there are webhooks to send. */
  readonly onWebhooks: () => void;
}

/** The jobs by name. The signal stops the long ones between two pieces of their work. */
export function leaderJobs(deps: LeaderJobDeps, signal: AbortSignal): readonly ReconcilerJob[] {
  const { settings, pool, store, logger } = deps;
  const { BULLPEN_HOME: home, RETENTION_DAYS: days } = settings;
  const own = ownFolderOf(settings);
  return [
    ...reconcilerJobs(deps),
    ...webhookJobs({ pool, retentionDays: days, onDue: deps.onWebhooks }, signal),
    ...invariantWatch(settings.INVARIANTS_EVERY_MS, pool, store, logger),
    ...compactionJob(
      {
        packs: packStoreAt(settings.CHECKPOINT_STORE, () => new PostgresPackStore(pool)),
        ...{ house: new CheckpointHouse(pool), logger, shadows: join(own, 'shadows') },
        keepDays: settings.CHECKPOINT_KEEP_DAYS ?? null,
        mostBytes: settings.CHECKPOINT_TOTAL_BYTES ?? null,
      },
      signal,
    ),
    promptLogJob(new PromptBodies(pool), settings.PROMPT_BODIES_DAYS, signal),
    ...retentionJob({ pool, home, own, days, removeStored: storedElsewhere(settings), logger }, signal),
  ];
}

/** Packs in the database go with the rows of their tree. */
function storedElsewhere({ CHECKPOINT_STORE: place }: LeaderJobDeps['settings']) {
  if (place === 'postgres') return undefined;
  const packs = new FolderPackStore(place.folder);
  return (rootId: string) => packs.removeLine(rootId);
}
