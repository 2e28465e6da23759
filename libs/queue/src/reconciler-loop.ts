/**
 * The loop of the role that repairs what crashes left behind. One process at a time has it. Each job keeps looking at the current
 * state and corrects it: nothing depends on having seen an event, and a second run finds nothing to do.
 */
import { setMaxListeners } from 'node:events';
import type { Logger } from '@bullpen/platform';
import type { LeaderLock } from './leader-lock.js';
import { pause, settlesWithin } from './within.js';

export interface ReconcilerJob {
  readonly name: string;
  /** Time from the end of one run to the start of the next, in ms; varied by a fifth. */
  readonly everyMs: number;
  /** Repairs what it finds, idempotently; returns how many repairs it made. A throw is logged and tried again next time. */
  readonly run: () => Promise<number>;
}

export interface ReconcilerOptions {
  readonly lock: LeaderLock;
  readonly jobs: readonly ReconcilerJob[];
  readonly logger: Logger;
  /** Called after each run that repaired something. */
  readonly onRepairs?: (job: string, repairs: number) => void;
  /** From 0 to 1. @defaultValue Math.random */
  readonly random?: () => number;
}

/**
 * A process that does not lead asks this often whether it may, in ms: the longest time without a leader, apart from the lock's own.
 */
const STANDBY_MS = 1_000;

/** A job that takes longer than this hangs, in ms: it does not delay the others, but nobody else does its work. */
const LATE_MS = 120_000;

/** How long `stop` waits for running jobs, in ms. */
const STOP_MS = 5_000;

export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  readonly #repairs = new Map<string, number>();
  #cycles: Promise<void>[] = [];
  #stopping: Promise<void> | null = null;
  #leading = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    // Each job waits for it: Node reports more than ten of them as a leak.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Starts asking for the role; with it, runs every job at once and then at its interval. Safe to call twice. */
  start(): void {
    if (this.#cycles.length > 0) return;
    // A cycle for each job: one that hangs or takes long does not delay the others.
    this.#cycles = this.#options.jobs.map((job) => this.#cycle(job));
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
    await settlesWithin(STOP_MS, Promise.all(this.#cycles));
    await this.#options.lock.release();
    this.#leading = false;
  }

  async #cycle(job: ReconcilerJob): Promise<void> {
    const { signal } = this.#stop;
    // In turn on purpose: a job never overlaps itself.
    while (!signal.aborted) {
      const leads = await this.#options.lock.hold();
      this.#note(leads);
      if (leads && !signal.aborted) await this.#run(job);
      await pause(this.#jitter(leads ? job.everyMs : Math.min(job.everyMs, STANDBY_MS)), signal);
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
    this.#options.logger.info(leads ? 'took the reconciler role' : 'lost the reconciler role');
  }

  /** Between 80 and 120 %: processes that started together must not ask together forever. */
  #jitter(ms: number): number {
    return Math.round(ms * (0.8 + 0.4 * this.#random()));
  }
}
