/**
 * Whether this worker takes work, as its row says. The row decides (a claim against it finds nothing); what is here makes the worker stop asking
 * for what it will not get, and give back what it should not keep.
 */
import { errorText, type FlowState } from '@bullpen/contracts';
import type { Logger } from '@bullpen/platform';
import type { QueueWorker } from '@bullpen/queue';
import type { Activator } from './activator.js';

interface WorkerFlowOptions {
  /** Reads the row. */
  readonly read: () => Promise<FlowState>;
  /** Called when there are slots again. */
  readonly onOpened: () => void;
  readonly logger: Logger;
}

export class WorkerFlow {
  #state: FlowState = 'open';
  #worker: Pick<QueueWorker, 'hold' | 'release'> | null = null;
  #activator: Pick<Activator, 'follow'> | null = null;

  constructor(private readonly options: WorkerFlowOptions) {}

  /** What is to do as the row says; before the first wake. */
  steer(worker: Pick<QueueWorker, 'hold' | 'release'>, activator: Pick<Activator, 'follow'>): void {
    this.#worker = worker;
    this.#activator = activator;
  }

  /** Looks at the row now. Never throws: it is looked at again every few seconds. */
  async look(): Promise<void> {
    try {
      await this.follow(await this.options.read());
    } catch (error) {
      this.options.logger.warn(
        { reason: errorText(error) },
        'the worker does not know whether it may take work',
      );
    }
  }

  /** Does as the row says. */
  async follow(state: FlowState): Promise<void> {
    if (state === this.#state) return;
    this.#state = state;
    this.options.logger.info({ state }, 'somebody changed whether this worker takes work');
    this.#activator?.follow(state);
    if (state !== 'open') return this.#worker?.hold();
    await this.#worker?.release();
    this.options.onOpened();
  }
}
