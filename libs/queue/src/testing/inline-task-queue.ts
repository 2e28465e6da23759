/** The task queue in memory: for tests that run the gateway or the executor without a queue server. */
import { type AnnouncedWake, AppError, type LaterWake, type WakeJob } from '@bullpen/contracts';
import {
  wakeJob,
  wakeJobId,
  delayedJobId,
  type Announcement,
  type QueueDepth,
  type TaskQueue,
  type WakePlace,
} from '../task-queue.js';

/** Keeps wakes until `drain` runs them; remembers ids as BullMQ does, so that a repeat of the same announcement is ignored. */
export class InlineTaskQueue implements TaskQueue {
  readonly #seen = new Set<string>();
  #waiting: WakeJob[] = [];
  #delayed: readonly LaterWake[] = [];
  #completed = 0;
  #failed = 0;
  #closed = false;

  announce(wakes: readonly AnnouncedWake[]): Promise<Announcement> {
    const announced: AnnouncedWake[] = [];
    const failed: AnnouncedWake[] = [];
    for (const wake of wakes) (this.#accepts(wake) ? announced : failed).push(wake);
    return Promise.resolve({ announced, failed });
  }

  showDelayed(wakes: readonly LaterWake[]): Promise<void> {
    if (!this.#closed) this.#delayed = [...new Map(wakes.map((wake) => [delayedJobId(wake), wake])).values()];
    return Promise.resolve();
  }

  placesOf(wakes: readonly AnnouncedWake[]): Promise<WakePlace[]> {
    const line = new Set(this.#waiting.map(({ taskId, wake }) => `${taskId}-${wake}`));
    return this.ping().then(() =>
      wakes.map(({ taskId, wake }) => (line.has(`${taskId}-${wake}`) ? 'waiting' : 'gone')),
    );
  }

  depth(): Promise<QueueDepth> {
    return this.ping().then(() => ({
      waiting: this.#waiting.length,
      active: 0,
      delayed: this.#delayed.length,
      completed: this.#completed,
      failed: this.#failed,
    }));
  }

  ping(): Promise<void> {
    if (this.#closed) return Promise.reject(new AppError('queue_unreachable', 'The task queue is closed'));
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#closed = true;
    return Promise.resolve();
  }

  /**
   * Runs what is waiting, one after the other, also what is announced meanwhile. Returns how many ran. A throw of `activate`
   * fails its wake only, as on a worker.
   */
  async drain(activate: (wake: WakeJob) => Promise<void>): Promise<number> {
    let ran = 0;
    // In order on purpose: a test that steps through a run must not depend on timing.
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      ran += 1;
      try {
        await activate(next);
        this.#completed += 1;
      } catch {
        this.#failed += 1;
      }
    }
    return ran;
  }

  /** What is shown as delayed. */
  delayed(): readonly LaterWake[] {
    return this.#delayed;
  }

  /** What `drain` would run next, oldest first. */
  waiting(): WakeJob[] {
    return [...this.#waiting];
  }

  #accepts(wake: AnnouncedWake): boolean {
    if (this.#closed) return false;
    try {
      const id = wakeJobId(wake);
      if (!this.#seen.has(id)) this.#waiting.push(wakeJob(wake));
      this.#seen.add(id);
      return true;
    } catch {
      // An invalid wake is an answer here, not an accident: it is reported as failed.
      return false;
    }
  }
}
