/** A worker of the product's own parts in this process, with a scripted model: what the machinery costs, without any model's HTTP. */
import type { CommitEffects } from '@bullpen/contracts';
import { runTask, type Model, type ToolRegistry } from '@bullpen/core';
import { newId, silentLogger } from '@bullpen/platform';
import { Announcer, openEventBus, openTaskQueue, QueueWorker, type QueueConnection } from '@bullpen/queue';
import {
  Dispatches,
  LeaseKeeper,
  momentNow,
  PostgresTaskStore,
  seeWorker,
  StoreReconciler,
} from '@bullpen/store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Pool } from './database.js';
import { loopDeps } from './loop.js';

export interface InProcessWorkerOptions {
  readonly database: Database;
  readonly connection: QueueConnection;
  readonly slots: number;
  /** A model for each run. */
  readonly model: () => Model;
  readonly tools: ToolRegistry;
  /** Whether anybody watches; else its live events go nowhere. @defaultValue false */
  readonly watched?: boolean;
}

export interface InProcessWorker {
  /** To be told of every commit made elsewhere in this process. */
  readonly committed: (effects: CommitEffects) => void;
  /** Tasks that it runs at this moment. */
  running(): number;
  close(): Promise<void>;
}

const LEASE_MS = 15_000;
const WORKER_ROW = {
  host: 'bench',
  pid: process.pid,
  running: 0,
  version: 'bench',
  simulated: true,
  providerKey: 'none',
  sandbox: 'none',
};

/** Resolves when it takes wakes. */
export async function startInProcessWorker(options: InProcessWorkerOptions): Promise<InProcessWorker> {
  const { database, connection, slots, model, tools, watched = false } = options;
  const { pool, url: databaseUrl } = database;
  const logger = silentLogger();
  const workerId = newId('worker');
  const queue = openTaskQueue(connection, logger);
  const bus = watched ? openEventBus(connection, logger) : null;
  const dispatches = new Dispatches(pool);
  const announcer = new Announcer({
    queue,
    bus: bus ?? { publish: () => undefined },
    backlog: dispatches,
    logger,
  });
  const committed = (effects: CommitEffects) => announcer.committed(effects);
  const store = new PostgresTaskStore({ pool, leaseMs: LEASE_MS, newId, onCommitted: committed });
  const keeper = new LeaseKeeper({
    databaseUrl,
    workerId,
    leaseMs: LEASE_MS,
    renewMs: LEASE_MS / 3,
    onProblem: () => undefined,
  });
  await keeper.started();
  const worker = new QueueWorker({
    connection,
    slots,
    logger,
    activate: async ({ taskId, wake }, hardStop) => {
      const claimedAt = momentNow();
      const lease = await store.claim(taskId, wake, workerId);
      if (lease === null) return;
      const signal = AbortSignal.any([keeper.hold(lease, claimedAt), hardStop]);
      try {
        const deps = { ...loopDeps(store, model(), tools), holdsLease: () => keeper.stillHolds(lease) };
        await runTask(lease, deps, signal);
      } finally {
        keeper.release(lease);
        void announcer.dispatch();
      }
    },
  });
  // Slots that a dispatch round may fill.
  const report = () => seeWorker(pool, { ...WORKER_ROW, id: workerId, slots });
  await report();
  worker.start();
  const repair = repairs(pool, dispatches, announcer, committed, report);
  return {
    committed,
    running: () => keeper.size,
    close: async () => {
      await repair.stop();
      await worker.close(5_000);
      await announcer.settled();
      await queue.close();
      await bus?.close();
      await keeper.close();
    },
  };
}

/** As in the product: a wake that was not announced in time, or whose announcement got lost, is announced again. */
const LOOK_MS = 1_000;
const UNCLAIMED_MS = 5_000;

/** What a family cannot do without of the reconciler's work: on a busy machine a queue may be too slow for its producer. */
function repairs(
  pool: Pool,
  dispatches: Dispatches,
  announcer: Announcer,
  onCommitted: (effects: CommitEffects) => void,
  report: () => Promise<unknown>,
): { stop(): Promise<void> } {
  const reconciler = new StoreReconciler({ pool, onCommitted });
  const stop = new AbortController();
  const look = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await sleep(LOOK_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) return;
      // A worker that does not report for a while has no slots any more.
      await report();
      await reconciler.expireLeases();
      await announcer.dispatch();
      await announcer.repeat(await dispatches.unclaimed(UNCLAIMED_MS));
    }
  };
  const looking = look();
  looking.catch(() => undefined); // Reported by `stop`.
  return {
    stop: async () => {
      stop.abort();
      await looking;
    },
  };
}
