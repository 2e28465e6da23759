/**
 * The task queue on BullMQ, on either backend. It may fail at any time without harm, so it is built to fail fast: a bound on
 * every call, and no exception to the callers that announce.
 */
import { type AnnouncedWake, AppError, errorText, type LaterWake, type WakeJob } from '@bullpen/contracts';
import type { Logger } from '@bullpen/platform';
import type { BulkJobOptions, Queue } from 'bullmq';
import {
  JOB_NAME,
  openBullQueue,
  PRODUCER_TIMEOUT_MS,
  queueLimits,
  type QueueConnection,
} from './connection.js';
import { drawDelayed } from './delayed-jobs.js';
import { quietLog, type QuietLog } from './quiet-log.js';
import { endConnection, provesWrites, reconnectSilent } from './redis-heartbeat.js';
import {
  wakeJob,
  wakeJobId,
  type Announcement,
  type QueueDepth,
  type TaskQueue,
  type WakePlace,
} from './task-queue.js';
import { settlesWithin, within } from './within.js';

export interface BullTaskQueueOptions {
  readonly logger: Logger;
  /** A connection to open, or a queue that somebody else (such as @nestjs/bullmq) opened and will close. */
  readonly source: { readonly connection: QueueConnection } | { readonly queue: Queue };
  /** Bound of every call, in ms. @defaultValue 1000 */
  readonly timeoutMs?: number;
}

interface NewJob {
  readonly wake: AnnouncedWake;
  readonly name: string;
  readonly data: WakeJob;
  readonly opts: BulkJobOptions;
}

export class BullTaskQueue implements TaskQueue {
  readonly #source: BullTaskQueueOptions['source'];
  readonly #logger: Logger;
  readonly #warn: QuietLog;
  readonly #timeoutMs: number;
  #opening: Promise<Queue> | null = null;
  #queue: Queue | null = null;
  #closed = false;

  constructor(options: BullTaskQueueOptions) {
    this.#source = options.source;
    this.#logger = options.logger;
    this.#warn = quietLog(options.logger);
    this.#timeoutMs = options.timeoutMs ?? PRODUCER_TIMEOUT_MS;
    if ('queue' in this.#source) {
      this.#queue = this.#source.queue;
      this.#listen(this.#queue);
    }
  }

  async announce(wakes: readonly AnnouncedWake[]): Promise<Announcement> {
    const jobs = this.#jobsOf(wakes);
    if (jobs.length === 0) return { announced: [], failed: wakes };
    try {
      await this.#bounded(
        'Announcing',
        this.#open().then((queue) => addJobs(queue, jobs)),
      );
    } catch (error) {
      this.#warn(
        `could not announce ${jobs.length === 1 ? 'a wake' : 'wakes'}; they will be announced again`,
        error,
      );
      return { announced: [], failed: wakes };
    }
    const added = new Set(jobs.map((job) => job.wake));
    return { announced: jobs.map((job) => job.wake), failed: wakes.filter((wake) => !added.has(wake)) };
  }

  async showDelayed(wakes: readonly LaterWake[]): Promise<void> {
    try {
      await this.#bounded(
        'Showing delayed wakes',
        this.#open().then((queue) => drawDelayed(queue, wakes)),
      );
    } catch (error) {
      this.#warn('could not show delayed wakes; trying again', error);
    }
  }

  async placesOf(wakes: readonly AnnouncedWake[]): Promise<WakePlace[]> {
    const states = await this.#ask('Looking for wakes', (queue) =>
      Promise.all(wakes.map((wake) => queue.getJobState(wakeJobId(wake)))),
    );
    return states.map((state) => (state === 'waiting' ? 'waiting' : state === 'active' ? 'taken' : 'gone'));
  }

  async depth(): Promise<QueueDepth> {
    const counts = await this.#ask('Counting jobs', (queue) =>
      queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'completed', 'failed'),
    );
    const count = (state: string): number => counts[state] ?? 0;
    return {
      waiting: count('waiting') + count('prioritized'),
      active: count('active'),
      delayed: count('delayed'),
      completed: count('completed'),
      failed: count('failed'),
    };
  }

  async ping(): Promise<void> {
    await this.#ask('Asking the queue', async (queue) => {
      await queue.getJobCounts('active');
      await provesWrites(queue);
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#queue !== null && !('queue' in this.#source)) await closeQueue(this.#queue, this.#timeoutMs);
  }

  /** One bad wake must not take its neighbours with it: it is logged and left out. */
  #jobsOf(wakes: readonly AnnouncedWake[]): NewJob[] {
    return wakes.flatMap((wake) => {
      try {
        return [{ wake, name: JOB_NAME, data: wakeJob(wake), opts: jobOptions(wakeJobId(wake)) }];
      } catch (error) {
        this.#logger.error({ err: error, taskId: wake.taskId, wake: wake.wake }, 'wake cannot be announced');
        return [];
      }
    });
  }

  async #ask<T>(what: string, question: (queue: Queue) => Promise<T>): Promise<T> {
    try {
      return await this.#bounded(what, this.#open().then(question));
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError('queue_unreachable', `${what} failed: ${errorText(error)}`, {
        retryable: true,
        cause: error,
      });
    }
  }

  async #bounded<T>(what: string, work: Promise<T>): Promise<T> {
    try {
      return await within(this.#timeoutMs, what, work);
    } catch (error) {
      // It may be hanging on a connection that died silently. A connection that is just slow loses little.
      if (this.#queue !== null) void reconnectSilent(this.#queue.getBackend());
      throw error;
    }
  }

  /** The queue, once it is connected. All callers wait for one attempt, so attempts do not pile up while a server is lost. */
  #open(): Promise<Queue> {
    if (this.#closed) return Promise.reject(new AppError('queue_unreachable', 'The task queue is closed'));
    this.#opening ??= this.#connect().catch((error: unknown) => {
      // BullMQ's Postgres backend keeps a first connect that failed forever; only a new queue tries again.
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  async #connect(): Promise<Queue> {
    if ('queue' in this.#source) {
      await this.#source.queue.waitUntilReady();
      return this.#source.queue;
    }
    const { connection } = this.#source;
    const queue = openBullQueue(connection);
    this.#listen(queue);
    this.#queue = queue;
    try {
      await queue.waitUntilReady();
    } catch (error) {
      await closeQueue(queue, this.#timeoutMs);
      throw error;
    }
    return queue;
  }

  /** Without a listener an `error` event would be printed by BullMQ, past the logger. */
  #listen(queue: Queue): void {
    queue.on('error', (error) => this.#warn('task queue connection', error));
  }
}

async function addJobs(queue: Queue, jobs: readonly NewJob[]): Promise<void> {
  const [only, ...rest] = jobs;
  // A bulk insert on the Postgres backend creates two temporary tables each time; a single one does not.
  if (only !== undefined && rest.length === 0) await queue.add(only.name, only.data, only.opts);
  else await queue.addBulk(jobs.map(({ name, data, opts }) => ({ name, data, opts })));
}

/** Repeated here because a queue that was handed in may lack our defaults. */
function jobOptions(jobId: string): BulkJobOptions {
  return { ...queueLimits().defaultJobOptions, jobId };
}

/** Closes cleanly when the server listens, and cuts the connection when it does not. Safe to call while others close it. */
export async function closeQueue(queue: Queue, timeoutMs = PRODUCER_TIMEOUT_MS): Promise<void> {
  if (!(await settlesWithin(timeoutMs, queue.close()))) await settlesWithin(timeoutMs, queue.disconnect());
  await endConnection(queue.getBackend());
}
