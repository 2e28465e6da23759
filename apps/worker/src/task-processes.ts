/** The processes of a worker's tasks, along the lives of those tasks: taken over, looked after, ended. */
import type { Lease } from '@bullpen/core';
import { Repeating, type Logger } from '@bullpen/platform';
import type { ProcessStore } from '@bullpen/store';
import { endLeft, type Processes } from '@bullpen/workspace';

export interface TaskProcessesOptions {
  readonly processes: Processes;
  readonly records: ProcessStore;
  readonly logger: Logger;
}

/** How soon a process hears of what its row asks for, when the message about it was lost, in ms. */
const HEED_MS = 1_000;

export class TaskProcesses {
  private readonly heeding: Repeating;

  constructor(private readonly options: TaskProcessesOptions) {
    const { processes, logger } = options;
    const name = 'looking after processes';
    this.heeding = new Repeating({ name, everyMs: HEED_MS, run: () => processes.heed(), logger });
    this.heeding.start();
  }

  /**
   * Ends what another worker left of the task, before the task goes on: on this machine at once, elsewhere by that worker, which finds
   * its rows marked, or with it.
   */
  readonly claimed = async (lease: Lease): Promise<void> => {
    const { records, logger } = this.options;
    const left = await records.takeOver(lease);
    if (left.length === 0) return;
    logger.info({ taskId: lease.taskId, left: left.length }, 'processes of another worker are ended');
    await endLeft(left);
  };

  /** The task is over, and so is what it started. */
  readonly finished = (taskId: string): Promise<unknown> =>
    this.options.processes.endOf(taskId, 'its task has ended');

  /** Somebody has asked for something. */
  lookNow(): void {
    const { processes, logger } = this.options;
    processes
      .heed()
      .catch((error: unknown) => logger.warn({ err: error }, 'processes could not be looked after'));
  }

  /** Ends all of them: they belong to this worker. */
  async stop(): Promise<void> {
    await this.heeding.stop();
    await this.options.processes.endAll('its worker stopped');
  }
}
