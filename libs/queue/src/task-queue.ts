/**
 * Port: the queue that carries wake-ups from the store to the workers. It is a dispatcher and not a record: the dispatch rows
 * in Postgres are the truth, and what a queue loses is announced again. Implemented by BullMQ and in memory; both pass
 * `testing/task-queue.contract.ts`.
 */
import { type AnnouncedWake, AppError, type LaterWake, type Wake, WakeJob } from '@bullpen/contracts';

/** What happened to each wake: each is in exactly one list, in the order given. */
export interface Announcement {
  readonly announced: readonly AnnouncedWake[];
  readonly failed: readonly AnnouncedWake[];
}

/** Waiting for a worker; taken by one; or neither: done, or lost. */
export type WakePlace = 'waiting' | 'taken' | 'gone';

/** Jobs in the queue by state. Finished ones are bounded, so they are no totals. */
export interface QueueDepth {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly completed: number;
  readonly failed: number;
}

/** Where wakes of tasks are announced to workers. */
export interface TaskQueue {
  /**
   * Hands the wakes to the workers, in order. Never throws and never takes longer than about a second: what could not be handed
   * over in that time is `failed`, and should be announced again later with a higher `tries`. A failed wake may still arrive, and
   * an announced one may arrive twice or get lost; workers claim the task before they act. Announcing the same wake with the same
   * `tries` again changes nothing.
   */
  announce(wakes: readonly AnnouncedWake[]): Promise<Announcement>;
  /**
   * Makes the delayed jobs of the queue these and no others, for dashboards: Postgres knows when a wake is due and announces it
   * then, and a worker that takes such a job does nothing with it. Never throws; what could not be shown is left for next time.
   */
  showDelayed(wakes: readonly LaterWake[]): Promise<void>;
  /**
   * Where the wakes are, as they were announced with their `tries`; in the order given. Throws `queue_unreachable` (retryable)
   * when the queue does not answer within a second.
   */
  placesOf(wakes: readonly AnnouncedWake[]): Promise<WakePlace[]>;
  /** Throws `queue_unreachable` (retryable) when the queue does not answer within a second. */
  depth(): Promise<QueueDepth>;
  /** Resolves when the queue answered and takes writes. Throws `queue_unreachable` (retryable) when it did not within a second. */
  ping(): Promise<void>;
  /** Gives up the connections it opened itself. Bounded; safe to call twice. */
  close(): Promise<void>;
}

const JOB_ID = /^task_[0-9a-z]{26}-[1-9]\d*(-r[1-9]\d*|-due)?$/;

/**
 * The job id of an announcement: `<taskId>-<wake>`, with `-r<n>` for the n-th repeat, because BullMQ ignores an id that it has
 * seen. Throws `internal_error` for a wake that makes no valid id: BullMQ refuses colons and ids of digits only.
 */
export function wakeJobId(wake: AnnouncedWake): string {
  const payload = wakeJob(wake);
  const id =
    wake.tries === 0
      ? `${payload.taskId}-${payload.wake}`
      : `${payload.taskId}-${payload.wake}-r${wake.tries}`;
  if (!JOB_ID.test(id)) throw new AppError('internal_error', `"${id}" is not a valid job id for a wake-up`);
  return id;
}

/** The job id that shows a delayed wake: never that of an announcement. Throws as `wakeJobId` does. */
export function delayedJobId(wake: Wake): string {
  const payload = wakeJob({ ...wake, tries: 0 });
  const id = `${payload.taskId}-${payload.wake}-due`;
  if (!JOB_ID.test(id))
    throw new AppError('internal_error', `"${id}" is not a valid job id for a delayed wake`);
  return id;
}

/** The payload of the job: a pointer and nothing else. Throws `internal_error` for an invalid wake. */
export function wakeJob(wake: AnnouncedWake): WakeJob {
  const parsed = WakeJob.safeParse({ v: 1, taskId: wake.taskId, wake: wake.wake });
  if (parsed.success) return parsed.data;
  throw new AppError(
    'internal_error',
    `Wake ${wake.wake} of task "${wake.taskId}" is not valid: ${parsed.error.message}`,
  );
}
