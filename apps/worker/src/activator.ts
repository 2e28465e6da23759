/** One wake: claim the task, run it as far as it goes, let go. A wake that finds nothing to claim ends quietly. */
import {
  describeEnd,
  maskedOutcome,
  runTask,
  type Lease,
  type LoopDeps,
  type Masker,
  type RunEnd,
} from '@bullpen/core';
import type { FlowState, WakeJob } from '@bullpen/contracts';
import type { Logger } from '@bullpen/platform';
import type { WakeEnd } from '@bullpen/queue';
import {
  momentNow,
  type LeaseKeeper,
  type Moment,
  type PostgresTaskStore,
  type RetryResult,
} from '@bullpen/store';

export interface ActivatorOptions {
  readonly store: PostgresTaskStore;
  readonly keeper: LeaseKeeper;
  readonly workerId: string;
  readonly logger: Logger;
  readonly deps: Omit<LoopDeps, 'shouldYield' | 'holdsLease'>;
  /** Called with each lease before its run starts: what another worker left of the task is to be ended. */
  readonly onClaimed: (lease: Lease) => Promise<void>;
  /** Called when a task has ended for good in this process. */
  readonly onFinished: (taskId: string) => void;
  /** Gives a failed task another attempt, while this is its newest wake. */
  readonly retry: (wake: WakeJob) => Promise<RetryResult>;
  /** Gives a wake back that this worker took and will not run. */
  readonly handBack: (wake: WakeJob) => Promise<void>;
  /** Called whenever a slot becomes free, or a wake was given back. */
  readonly onReleased: () => void;
  /** Called when there was nothing to claim: either somebody else was faster, or this worker must not take work any more. */
  readonly onNothingToClaim: () => Promise<void>;
}

interface Claimed {
  readonly lease: Lease;
  /** A moment before the claim was sent. */
  readonly claimedAt: Moment;
}

/** How long a task rests before it is given back, and between two tries of that, in ms: 1, 2, 4, ... seconds. */
const REST_MS = 1_000;
const LONGEST_REST_MS = 30_000;
const BROKE_OFF =
  'The run was cut off because the database could not be reached; it goes on from the last stored step.';

export class Activator {
  private ending = false;
  private flow: FlowState = 'open';

  constructor(private readonly options: ActivatorOptions) {}

  /** From now on each run gives its task back at its next border: this process is about to end. */
  drain(): void {
    this.ending = true;
  }

  /** What somebody wants of this worker: to take tasks, to take none, or also to give back those that it has. */
  follow(flow: FlowState): void {
    this.flow = flow;
  }

  private get takes(): boolean {
    return !this.ending && this.flow === 'open';
  }

  private get givesBack(): boolean {
    return this.ending || this.flow === 'draining';
  }

  /** Runs the task of a wake. `hardStop` aborts it wherever it is; what is stored then is where the next worker goes on. */
  async activate(wake: WakeJob, hardStop: AbortSignal): Promise<WakeEnd> {
    try {
      if (!this.takes) return await this.handBack(wake);
      const claimed = await this.claim(wake);
      if (claimed) return await this.run(claimed, hardStop);
      await this.options.onNothingToClaim();
      return this.takes ? undefined : await this.handBack(wake);
    } finally {
      this.options.onReleased();
    }
  }

  /**
   * Somebody pressed the retry button of the wake's job in a queue dashboard: the same as asking for another attempt. The job then
   * ends well, as the attempt has a wake of its own; where none may be made it fails again and says why.
   */
  async reactivate(wake: WakeJob, hardStop: AbortSignal): Promise<WakeEnd> {
    // The job may have failed before it came to claim: then the wake is still there to be run.
    const claimed = this.takes ? await this.claim(wake) : null;
    if (claimed) return this.run(claimed, hardStop).finally(() => this.options.onReleased());
    const result = await this.options.retry(wake);
    this.options.logger.info(
      { taskId: wake.taskId, result: result.kind },
      'retry was pressed in a dashboard',
    );
    switch (result.kind) {
      case 'queued':
        return;
      case 'refused':
        return { failed: result.reason };
      case 'not_found':
        return { failed: `Task ${wake.taskId} no longer exists.` };
    }
  }

  /** To a worker that stays, at once; where that fails the reconciler finds the wake unclaimed, seconds later. */
  private async handBack(wake: WakeJob): Promise<void> {
    const { handBack, logger } = this.options;
    await handBack(wake).catch((error: unknown) =>
      logger.warn({ err: error, taskId: wake.taskId }, 'a wake could not be given back'),
    );
  }

  private async claim(wake: WakeJob): Promise<Claimed | null> {
    const claimedAt = momentNow();
    const lease = await this.options.store.claim(wake.taskId, wake.wake, this.options.workerId);
    return lease && { lease, claimedAt };
  }

  private async run({ lease, claimedAt }: Claimed, hardStop: AbortSignal): Promise<WakeEnd> {
    const { keeper, deps } = this.options;
    const log = this.options.logger.child({ taskId: lease.taskId, epoch: lease.epoch });
    const startedAt = performance.now();
    const signal = AbortSignal.any([keeper.hold(lease, claimedAt), hardStop]);
    try {
      await this.options.onClaimed(lease);
      const holdsLease = () => keeper.stillHolds(lease);
      const end = await runTask(lease, { ...deps, holdsLease, shouldYield: () => this.givesBack }, signal);
      if (end.kind === 'finished') this.options.onFinished(lease.taskId);
      if (end.kind === 'finished' && end.fault !== undefined) log.error({ err: end.fault }, 'a run failed');
      log.info({ end: describeEnd(end), durationMs: Math.round(performance.now() - startedAt) }, 'run ended');
      return failureOf(end, deps.masker);
    } catch (error) {
      await this.giveBack(lease, error, log, hardStop);
    } finally {
      keeper.release(lease);
    }
  }

  /**
   * The store was away, and this process lives on: the task is given back as soon as that can be told, for a lease that runs out would
   * look like a crash. Not at once: what broke the run off may last.
   */
  private async giveBack(lease: Lease, error: unknown, log: Logger, hardStop: AbortSignal): Promise<void> {
    const { store, deps } = this.options;
    log.warn({ err: error }, 'a run was cut off; its task is given back');
    for (let restMs = REST_MS, more = true; more; restMs = Math.min(restMs * 2, LONGEST_REST_MS)) {
      if (!this.ending) await deps.sleep(restMs, hardStop);
      more = !hardStop.aborted;
      try {
        if (await store.giveBack(lease, BROKE_OFF)) log.info('the task was given back');
        return;
      } catch (again) {
        log.warn({ err: again }, 'the task cannot be given back yet');
      }
    }
  }
}

/** The reason that queue dashboards show for a task that failed for good. */
function failureOf(end: RunEnd, masker: Masker): WakeEnd {
  if (end.kind !== 'finished' || end.outcome.state !== 'failed') return;
  const { cause, failure } = maskedOutcome(end.outcome, masker);
  return { failed: failure === null ? cause : `${cause}: ${failure.message}` };
}
