/** One wake: claim the task, run it as far as it goes, let go. A wake that finds nothing to claim ends quietly. */
import { describeEnd, runTask, type LoopDeps } from '@bullpen/core';
import type { WakeJob } from '@bullpen/contracts';
import type { Logger } from '@bullpen/platform';
import type { LeaseKeeper, PostgresTaskStore } from '@bullpen/store';

export interface ActivatorOptions {
  readonly store: PostgresTaskStore;
  readonly keeper: LeaseKeeper;
  readonly workerId: string;
  readonly logger: Logger;
  readonly deps: Omit<LoopDeps, 'shouldYield'>;
  /** Called when a task has ended for good in this process. */
  readonly onFinished: (taskId: string) => void;
  /** Called whenever a slot becomes free. */
  readonly onReleased: () => void;
}

export class Activator {
  private draining = false;

  constructor(private readonly options: ActivatorOptions) {}

  /** From now on each run gives its task back at its next border. */
  drain(): void {
    this.draining = true;
  }

  /** Runs the task of a wake. `hardStop` aborts it wherever it is; what is stored then is where the next worker goes on. */
  async activate(wake: WakeJob, hardStop: AbortSignal): Promise<void> {
    if (this.draining) return; // The reconciler announces the wake to a worker that stays.
    try {
      await this.run(wake, hardStop);
    } finally {
      this.options.onReleased();
    }
  }

  private async run(wake: WakeJob, hardStop: AbortSignal): Promise<void> {
    const { store, keeper, workerId, deps } = this.options;
    const lease = await store.claim(wake.taskId, wake.wake, workerId);
    if (!lease) return;
    const log = this.options.logger.child({ taskId: lease.taskId, epoch: lease.epoch });
    const startedAt = performance.now();
    const signal = AbortSignal.any([keeper.hold(lease), hardStop]);
    try {
      const end = await runTask(lease, { ...deps, shouldYield: () => this.draining }, signal);
      if (end.kind === 'finished') this.options.onFinished(lease.taskId);
      log.info({ end: describeEnd(end), durationMs: Math.round(performance.now() - startedAt) }, 'run ended');
    } finally {
      keeper.release(lease);
    }
  }
}
