/** BullMQ and what belongs to it: dispatch, worker adapter, live events, reconciler loop. */
export { BUS_TIMEOUT_MS, type BusListener, type EventBus } from './bus.js';
export { Announcer, type AnnouncerOptions, type Backlog } from './announcer.js';
export { BullTaskQueue, closeQueue, type BullTaskQueueOptions } from './bull-task-queue.js';
export {
  bullOptions,
  installDefaultBackend,
  nestBullRootOptions,
  openBullQueue,
  QUEUE_NAME,
  QUEUE_SCHEMA,
  type BullOptions,
  type ConnectionRole,
  type QueueConnection,
} from './connection.js';
export { DeltaCoalescer, type CoalescerClock, type DeltaCoalescerOptions } from './delta-coalescer.js';
export { openEventBus, openTaskQueue } from './open.js';
export { InlineTaskQueue } from './inline-task-queue.js';
export { PgLeaderLock, type LeaderLock, type PgLeaderLockOptions } from './leader-lock.js';
export { MemoryBusHub, MemoryEventBus } from './memory-event-bus.js';
export { QueueWorker, type QueueWorkerOptions, type WakeEnd } from './queue-worker.js';
export { Reconciler, type ReconcilerJob, type ReconcilerOptions } from './reconciler-loop.js';
export { MAX_SHOWN as MAX_DELAYED_SHOWN } from './delayed-jobs.js';
export { wakeJobId, type Announcement, type QueueDepth, type TaskQueue } from './task-queue.js';
