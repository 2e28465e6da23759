/**
 * The loop of the role that repairs what crashes left behind. One process at a time has it. Each job keeps looking at the current
 * state and corrects it: nothing depends on having seen an event, and a second run finds nothing to do.
 */
import type { Logger } from '@bullpen/platform';
import type { LeaderLock } from './leader-lock.js';
import { pause, settlesWithin } from './within.js';

export interface ReconcilerJob {
  readonly name: string;
  /** Time from the end of one run to the start of the next, in ms; varied by a fifth, and rounded to looks. */
  readonly everyMs: number;
  /** Runs only when the look of the loop names it; asked before each run. @defaultValue false */
  readonly whenAsked?: boolean;
  /** Repairs what it finds, idempotently; returns how many repairs it made. A throw is logged and tried again next time. */
  readonly run: () => Promise<number>;
}

export interface ReconcilerOptions {
  readonly lock: LeaderLock;
  readonly jobs: readonly ReconcilerJob[];
  /** Names jobs that may find something: one question for all those that are `whenAsked`, and they need it. */
  readonly look?: () => Promise<ReadonlySet<string>>;
  readonly logger: Logger;
  /** Called after each run that repaired something. */
  readonly onRepairs?: (job: string, repairs: number) => void;
  /** From 0 to 1. @defaultValue Math.random */
  readonly random?: () => number;
}

/**
 * The longest pause between two turns of the loop, in ms: so often the leader proves that it leads, and the others ask whether they may. It is
 * the longest time without a leader, apart from the lock's own.
 */
const TURN_MS = 1_000;

/** A job that takes longer than this hangs, in ms: it does not delay the others, but nobody else does its work. */
const LATE_MS = 120_000;

/** How long `stop` waits for running jobs, in ms. */
const STOP_MS = 5_000;

/** A job with its place in time. */
interface Timed {
  readonly job: ReconcilerJob;
  /** Not before this, on the clock of `performance.now`. */
  at: number;
  running: Promise<void> | null;
}

export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  readonly #repairs = new Map<string, number>();
  readonly #timed: readonly Timed[];
  readonly #turnMs: number;
  #turns: Promise<void> | null = null;
  #looking: Promise<void> | null = null;
  #stopping: Promise<void> | null = null;
  #leading = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#timed = options.jobs.map((job) => ({ job, at: 0, running: null }));
    this.#turnMs = Math.min(TURN_MS, ...options.jobs.map(({ everyMs }) => everyMs));
  }

  /** Starts asking for the role; with it, runs every job at once and then at its interval. Safe to call twice. */
  start(): void {
    this.#turns ??= this.#turn();
  }

  /** True while this process has the role, as far as it knows. */
  isLeader(): boolean {
    return this.#leading;
  }

  /** Repairs so far by job, in this process. All zero in a healthy system. */
  repairs(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#options.jobs.map(({ name }) => [name, this.#repairs.get(name) ?? 0]));
  }

  /** Waits for running jobs, 5 s at most, and gives up the role. Never throws; all calls share one stop. */
  stop(): Promise<void> {
    this.#stopping ??= this.#end();
    return this.#stopping;
  }

  async #end(): Promise<void> {
    this.#stop.abort();
    await settlesWithin(STOP_MS, this.#settled());
    await this.#options.lock.release();
    this.#leading = false;
  }

  async #settled(): Promise<void> {
    await this.#turns;
    await this.#looking;
    for (const { running } of this.#timed) await running;
  }

  /** One question about the role, and one about work, for all jobs together: what has nothing to do costs nothing. */
  async #turn(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#note(await this.#options.lock.hold());
      // Nothing here waits for a job: one that hangs or takes long does not delay the others.
      if (this.#leading) this.#looking ??= this.#startDue().finally(() => (this.#looking = null));
      await pause(this.#jitter(this.#turnMs), signal);
    }
  }

  async #startDue(): Promise<void> {
    const nearest = performance.now() + this.#turnMs / 2;
    // A job never overlaps itself.
    const due = this.#timed.filter(({ running, at }) => running === null && at <= nearest);
    const asked = due.some(({ job }) => job.whenAsked) ? await this.#look() : null;
    for (const timed of due) {
      if (this.#stop.signal.aborted) return;
      if (timed.job.whenAsked && !asked?.has(timed.job.name))
        timed.at = performance.now() + timed.job.everyMs;
      else timed.running = this.#run(timed.job).then(() => this.#rest(timed));
    }
  }

  #rest(timed: Timed): void {
    timed.at = performance.now() + timed.job.everyMs;
    timed.running = null;
  }

  /** Nothing when it cannot be known: the jobs would fail as well, and the next look comes soon. */
  async #look(): Promise<ReadonlySet<string>> {
    const { look, logger } = this.#options;
    try {
      return (await look?.()) ?? new Set();
    } catch (error) {
      logger.error({ err: error }, 'the reconciler could not look for work; it will look again');
      return new Set();
    }
  }

  async #run(job: ReconcilerJob): Promise<void> {
    const { logger, onRepairs } = this.#options;
    const startedAt = performance.now();
    const late = setTimeout(
      () => logger.error({ job: job.name }, `reconciler job has been at it for ${LATE_MS / 1_000} s`),
      LATE_MS,
    ).unref();
    try {
      const repairs = await job.run();
      if (repairs === 0) return;
      this.#repairs.set(job.name, (this.#repairs.get(job.name) ?? 0) + repairs);
      const durationMs = Math.round(performance.now() - startedAt);
      logger.warn({ job: job.name, repairs, durationMs }, 'reconciler repaired');
      onRepairs?.(job.name, repairs);
    } catch (error) {
      logger.error({ job: job.name, err: error }, 'reconciler job failed; it will run again');
    } finally {
      clearTimeout(late);
    }
  }

  #note(leads: boolean): void {
    if (leads === this.#leading) return;
    this.#leading = leads;
    for (const timed of this.#timed) timed.at = 0;
    this.#options.logger.info(leads ? 'took the reconciler role' : 'lost the reconciler role');
  }

  /** Between 80 and 120 %: processes that started together must not ask together forever. */
  #jitter(ms: number): number {
    return Math.round(ms * (0.8 + 0.4 * this.#random()));
  }
}
