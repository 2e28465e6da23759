/**
 * Takes wake-ups from the queue and hands each to the executor, `slots` at a time. A thin adapter around BullMQ's `Worker`:
 * it decides nothing about tasks. Correctness rests on the claim in Postgres, so a wake that runs twice, late or never is
 * harmless here; what matters is that the worker keeps fetching, and that it always closes.
 */
import { AppError, WakeJob } from '@bullpen/contracts';
import type { Logger } from '@bullpen/platform';
import { Worker, type Job } from 'bullmq';
import {
  backendFactory,
  bullOptions,
  QUEUE_NAME,
  reconnectDelayMs,
  type QueueConnection,
} from './connection.js';
import { quietLog, type QuietLog } from './quiet-log.js';
import { isDelayedShow } from './delayed-jobs.js';
import { JobFailed, endedBefore, markEnded } from './job-end.js';
import { keepAnswering } from './redis-heartbeat.js';
import { steadyBackend } from './steady-backend.js';
import { pause, settlesWithin } from './within.js';

/** How a wake ended. `failed`: the job ends as failed, too, with this reason, so that dashboards show it. */
export type WakeEnd = void | { readonly failed: string };

export interface QueueWorkerOptions {
  readonly connection: QueueConnection;
  /** Wakes that run at the same time. */
  readonly slots: number;
  readonly logger: Logger;
  /**
   * Runs the task until it ends or waits. A throw fails the job, with the message as its reason in the dashboards; nothing is
   * retried here. `signal` aborts when the deadline of `close` has passed: stop at once, the process is about to end.
   */
  readonly activate: (wake: WakeJob, signal: AbortSignal) => Promise<WakeEnd>;
  /**
   * Called instead of `activate` for a job that had ended before: somebody pressed its retry button in a dashboard.
   * @defaultValue activate
   */
  readonly reactivate?: (wake: WakeJob, signal: AbortSignal) => Promise<WakeEnd>;
  /** Shown as the one that processed a job. */
  readonly name?: string;
}

/** Long enough that a busy event loop does not lose it; it only matters for BullMQ's own bookkeeping. */
const LOCK_MS = 60_000;
const STALLED_CHECK_MS = 30_000;
/** Longest block of an idle fetch, in seconds, and so the longest delay of a wake whose notification got lost. */
const IDLE_FETCH_S = 5;
/** BullMQ's own pause after a lost connection is 15 s; a restart of the server should cost less. */
const RETRY_MS = 1_000;
/** After the deadline of `close`: time for aborted activations to end, and time to cut the connections, in ms each. */
const LAST_CHANCE_MS = 1_000;

export class QueueWorker {
  readonly #options: QueueWorkerOptions;
  readonly #logger: Logger;
  readonly #warn: QuietLog;
  readonly #stopFetching = new AbortController();
  readonly #deadline = new AbortController();
  #worker: Worker | null = null;
  #supervising: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #running = 0;
  /** While it is held: resolves when it may fetch again. */
  #held: PromiseWithResolvers | null = null;

  constructor(options: QueueWorkerOptions) {
    this.#options = options;
    this.#logger = options.logger;
    this.#warn = quietLog(options.logger);
  }

  /** Starts fetching, now or as soon as the server can be reached. Safe to call twice. */
  start(): void {
    this.#supervising ??= this.#supervise();
  }

  /** Wakes that run at this moment. */
  running(): number {
    return this.#running;
  }

  /** Fetches nothing until `release`; what is running goes on. Safe to call twice. */
  async hold(): Promise<void> {
    this.#held ??= withResolvers();
    await this.#worker?.pause(true);
  }

  /** Fetches again after `hold`. */
  async release(): Promise<void> {
    this.#held?.resolve();
    this.#held = null;
    await this.#worker?.resume();
  }

  /** Stops fetching for good; what is running goes on. To fetch again, create a new worker. */
  async pause(): Promise<void> {
    this.#stopFetching.abort();
    const worker = this.#worker;
    if (worker === null) return;
    // `true`: do not wait for running jobs.
    await worker.pause(true);
    // The idle fetch that is under way would take one more wake-up call away from other workers.
    await settlesWithin(LAST_CHANCE_MS, worker.getBackend().disconnectBlocking());
  }

  /**
   * Stops fetching, lets running activations end until `deadlineMs` have passed, then aborts their signals and cuts the
   * connections. Takes at most 3 s longer than the deadline, whatever hangs. Never throws; all calls share one shutdown.
   */
  close(deadlineMs: number): Promise<void> {
    this.#closing ??= this.#close(deadlineMs);
    return this.#closing;
  }

  async #close(deadlineMs: number): Promise<void> {
    this.#stopFetching.abort();
    const worker = this.#worker;
    const closed = worker === null ? Promise.resolve() : worker.close();
    if (!(await settlesWithin(deadlineMs, closed))) {
      this.#logger.warn({ running: this.#running, deadlineMs }, 'worker is cut off: its deadline passed');
      this.#deadline.abort(
        new AppError('internal_error', 'The worker is shutting down', { retryable: true }),
      );
      if (!(await settlesWithin(LAST_CHANCE_MS, closed)) && worker !== null) await cutOff(worker);
    }
    if (this.#supervising !== null) await settlesWithin(LAST_CHANCE_MS, this.#supervising);
  }

  /**
   * Keeps one BullMQ worker fetching. A new one takes over when it stops on its own: its Postgres backend keeps a first connect
   * that failed forever, and a main loop that died does not come back.
   */
  async #supervise(): Promise<void> {
    const { signal } = this.#stopFetching;
    // One worker at a time, each until it ends.
    for (let tries = 1; !signal.aborted; tries += 1) {
      await this.#untilReleased(signal);
      if (signal.aborted) return;
      const worker = this.#newWorker();
      this.#worker = worker;
      try {
        await worker.waitUntilReady();
        tries = 1;
        await worker.run();
      } catch (error) {
        if (!signal.aborted) this.#warn('worker could not continue fetching', error);
      }
      if (signal.aborted) return;
      // From here on `release` has nothing to resume: the next worker begins when it is called.
      this.#worker = null;
      if (!(await settlesWithin(LAST_CHANCE_MS, worker.close(true)))) await cutOff(worker);
      if (this.#held === null) await pause(reconnectDelayMs(tries), signal);
    }
  }

  async #untilReleased(signal: AbortSignal): Promise<void> {
    if (this.#held === null) return;
    const { promise, resolve } = this.#held;
    signal.addEventListener('abort', resolve, { once: true });
    await promise;
    signal.removeEventListener('abort', resolve);
  }

  #newWorker(): Worker {
    const { connection, slots, name } = this.#options;
    const worker = new Worker(
      QUEUE_NAME,
      (job: Job) => this.#process(job),
      {
        ...bullOptions(connection, 'worker'),
        ...(name === undefined ? {} : { name }),
        autorun: false,
        concurrency: slots,
        lockDuration: LOCK_MS,
        // Only garbage collection: the job of a lost worker fails, and the reconciler announces the task again.
        maxStalledCount: 0,
        stalledInterval: STALLED_CHECK_MS,
        drainDelay: IDLE_FETCH_S,
        runRetryDelay: RETRY_MS,
      },
      steadyBackend(backendFactory(connection), {
        idleFetchS: IDLE_FETCH_S,
        stop: this.#stopFetching.signal,
        isHeld: () => this.#held !== null,
      }),
    ) as unknown as Worker;
    this.#listen(worker);
    if (connection.kind === 'redis') keepAnswering(worker);
    return worker;
  }

  /** Returns nothing on purpose: BullMQ would copy a result into the job and the event stream. */
  async #process(job: Job): Promise<void> {
    // There to be seen while it was delayed; the wake itself is announced when it is due.
    if (isDelayedShow(job)) return;
    this.#running += 1;
    try {
      const { activate, reactivate = activate } = this.#options;
      const run = endedBefore(job) ? reactivate : activate;
      const end = await run(parseWake(job), this.#deadline.signal);
      if (end === undefined) return;
      await markEnded(job).catch((error: unknown) => this.#warn('could not mark a failed job', error));
      throw new JobFailed(end.failed);
    } catch (error) {
      throw asError(error);
    } finally {
      this.#running -= 1;
    }
  }

  #listen(worker: Worker): void {
    const logger = this.#logger;
    worker.on('error', (error) => this.#warn('worker connection', error));
    worker.on('failed', (job, error) => {
      // BullMQ's name for the job of a lost worker. Its task goes on elsewhere, so this is information, not an error.
      if (error.message.includes('stalled'))
        logger.info({ jobId: job?.id }, 'the wake of a lost worker ended');
      else if (error instanceof JobFailed)
        logger.info({ jobId: job?.id, reason: error.message }, 'the job of a failed task ended as failed');
      else logger.error({ jobId: job?.id, err: error }, 'wake failed');
    });
    worker.on('stalled', (jobId) => logger.info({ jobId }, 'wake of a lost worker was given up'));
    // No abort: the lease in Postgres decides who may go on, and it is watched elsewhere.
    worker.on('lockRenewalFailed', (jobIds) => logger.warn({ jobIds }, 'queue locks could not be renewed'));
  }
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** `Promise.withResolvers` comes with Node 22. */
function withResolvers(): PromiseWithResolvers {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

function parseWake(job: Job): WakeJob {
  const parsed = WakeJob.safeParse(job.data);
  if (parsed.success) return parsed.data;
  throw new AppError('internal_error', `Job ${job.id ?? '?'} carries no wake-up: ${parsed.error.message}`);
}

/** BullMQ stores `message` as the reason of the failure, so what is thrown must have one. */
function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new AppError('internal_error', `Activation threw ${String(thrown)}`, { cause: thrown });
}

/** `close` is under way and hangs, and BullMQ ignores a second one: take its connections away. */
async function cutOff(worker: Worker): Promise<void> {
  await settlesWithin(LAST_CHANCE_MS, worker.getBackend().close(true));
  await settlesWithin(LAST_CHANCE_MS, worker.disconnect());
}
