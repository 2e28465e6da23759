/** A worker of the product's own parts in this process, with a scripted model: what the machinery costs, without any model's HTTP. */
import { runTask, type Model, type TaskRecord, type Tool } from '@bullpen/core';
import { newId, silentLogger } from '@bullpen/platform';
import { Announcer, openTaskQueue, QueueWorker, type Committed, type QueueConnection } from '@bullpen/queue';
import { LeaseKeeper, markAnnounced, PostgresTaskStore } from '@bullpen/store';
import type { Database } from './database.js';
import { loopDeps } from './loop.js';

export interface InProcessWorkerOptions {
  readonly database: Database;
  readonly connection: QueueConnection;
  readonly slots: number;
  /** A model for each run. */
  readonly model: () => Model;
  readonly tools: (task: TaskRecord) => readonly Tool[];
}

export interface InProcessWorker {
  /** To be told of every commit made elsewhere in this process. */
  readonly committed: (effects: Committed) => void;
  /** Tasks that it runs at this moment. */
  running(): number;
  close(): Promise<void>;
}

const LEASE_MS = 15_000;

/** Resolves when it takes wakes. Live events go nowhere: nobody watches. */
export async function startInProcessWorker(options: InProcessWorkerOptions): Promise<InProcessWorker> {
  const { database, connection, slots, model, tools } = options;
  const { pool, url: databaseUrl } = database;
  const logger = silentLogger();
  const workerId = newId('worker');
  const queue = openTaskQueue(connection, logger);
  const announcer = new Announcer({
    queue,
    bus: { publish: () => undefined },
    markAnnounced: (wakes) => markAnnounced(pool, wakes),
    logger,
  });
  const committed = (effects: Committed) => announcer.committed(effects);
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
      const lease = await store.claim(taskId, wake, workerId);
      if (lease === null) return;
      const signal = AbortSignal.any([keeper.hold(lease), hardStop]);
      try {
        await runTask(lease, loopDeps(store, model(), tools), signal);
      } finally {
        keeper.release(lease);
      }
    },
  });
  worker.start();
  return {
    committed,
    running: () => keeper.size,
    close: async () => {
      await worker.close(5_000);
      await announcer.settled();
      await queue.close();
      await keeper.close();
    },
  };
}
