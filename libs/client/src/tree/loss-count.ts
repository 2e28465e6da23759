/** What was lost with workers in a tree, and what of it had to be done again. */
import type { TaskEvent } from '@bullpen/contracts';

/** The sums of a whole tree. */
export interface Losses {
  readonly workers: number;
  /** How often a task lost its worker. */
  readonly tasks: number;
  readonly repeatedCalls: number;
  readonly cutOffCalls: number;
  readonly repeatedModelCalls: number;
}

/** Counts them as the events come. */
export class LossCount {
  private readonly workers = new Set<string>();
  private readonly sums = { tasks: 0, repeatedCalls: 0, cutOffCalls: 0, repeatedModelCalls: 0 };

  take(event: TaskEvent): void {
    if (event.type === 'worker.lost') {
      this.workers.add(event.data.workerId);
      this.sums.tasks += 1;
    }
    if (event.type === 'task.taken_over') {
      this.sums.repeatedCalls += event.data.repeated.length;
      this.sums.cutOffCalls += event.data.cutOff.length;
      this.sums.repeatedModelCalls += event.data.modelCalls;
    }
  }

  get losses(): Losses {
    return { workers: this.workers.size, ...this.sums };
  }
}
