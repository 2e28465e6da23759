/** BullMQ and what belongs to it: dispatch, worker adapter, live events, reconciler loop. */
export type { EventBus } from './bus.js';
export { Announcer } from './announcer.js';
export { BullTaskQueue, closeQueue } from './bull-task-queue.js';
export {
  bullOptions,
  installDefaultBackend,
  nestBullRootOptions,
  openBullQueue,
  QUEUE_NAME,
  type QueueConnection,
} from './connection.js';
export { DeltaCoalescer } from './delta-coalescer.js';
export { openEventBus, openTaskQueue } from './open.js';
export { PgLeaderLock } from './leader-lock.js';
export { QueueWorker, type WakeEnd } from './queue-worker.js';
export { Reconciler, type ReconcilerJob } from './reconciler-loop.js';
export { MAX_SHOWN as MAX_DELAYED_SHOWN } from './delayed-jobs.js';
export type { TaskQueue } from './task-queue.js';
