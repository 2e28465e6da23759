/**
 * Tells the queue and the live bus what a commit did. It never delays the commit: what fails here is found again by the reconciler
 * (wakes) and by the watchers (rows). The backlog decides which wakes the queue gets, and when.
 */
import type { AnnouncedWake, CommitEffects, Wake } from '@bullpen/contracts';
import type { Logger } from '@bullpen/platform';
import type { EventBus } from './bus.js';
import type { TaskQueue } from './task-queue.js';

/** The wakes that no worker has claimed yet, in the store. */
export interface Backlog {
  /** Chooses what may be announced now, in fair order, and counts it as announced; `fresh` was just committed. */
  admit(fresh: readonly Wake[]): Promise<readonly AnnouncedWake[]>;
  /** Records that the queue did not take admitted wakes. */
  refused(wakes: readonly AnnouncedWake[]): Promise<void>;
  /** Records that wakes were announced again. */
  repeated(wakes: readonly AnnouncedWake[]): Promise<void>;
}

interface AnnouncerOptions {
  readonly queue: TaskQueue;
  readonly bus: Pick<EventBus, 'publish'>;
  readonly backlog: Backlog;
  readonly logger: Logger;
}

export class Announcer {
  private readonly options: AnnouncerOptions;
  private fresh: Wake[] = [];
  private asked = false;
  private rounds: Promise<void> | null = null;
  private readonly running = new Set<Promise<unknown>>();

  constructor(options: AnnouncerOptions) {
    this.options = options;
  }

  /** To be called after each commit. Returns at once; never throws. */
  committed(effects: CommitEffects): void {
    for (const rows of effects.rows) this.options.bus.publish({ kind: 'rows', ...rows });
    for (const cancel of effects.cancels) this.options.bus.publish({ kind: 'cancel', ...cancel });
    if (effects.wakes.length > 0) void this.dispatch(effects.wakes);
  }

  /**
   * Announces what may be announced now. Call it whenever there may be new room: a slot is free, a limit is higher. Calls during a
   * round share the next one: under load a round serves many. Never throws.
   */
  dispatch(fresh: readonly Wake[] = []): Promise<void> {
    for (const wake of fresh) this.fresh.push(wake);
    this.asked = true;
    this.rounds ??= this.track(this.runRounds());
    return this.rounds;
  }

  /** Announces wakes again that the queue seems to have lost. Returns how many the queue took; never throws. */
  repeat(wakes: readonly AnnouncedWake[]): Promise<number> {
    return this.track(this.repeatNow(wakes));
  }

  /** Resolves when everything that was running is done. */
  async settled(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private async runRounds(): Promise<void> {
    const { backlog, logger } = this.options;
    while (this.asked) {
      this.asked = false;
      const fresh = this.fresh;
      this.fresh = [];
      try {
        const wakes = await backlog.admit(fresh);
        // The next round does not wait for the queue: what is admitted counts already.
        if (wakes.length > 0) void this.track(this.hand(wakes));
      } catch (error) {
        logger.warn({ err: error }, 'no dispatch round; the reconciler will run one soon');
      }
    }
    this.rounds = null;
  }

  private async hand(wakes: readonly AnnouncedWake[]): Promise<void> {
    const { queue, backlog, logger } = this.options;
    try {
      const { failed } = await queue.announce(wakes);
      if (failed.length === 0) return;
      logger.warn(
        { failed: failed.length },
        'wakes could not be announced; the reconciler will announce them',
      );
      await backlog.refused(failed);
    } catch (error) {
      logger.warn({ err: error }, 'refused wakes could not be recorded; the reconciler will find them');
    }
  }

  private async repeatNow(wakes: readonly AnnouncedWake[]): Promise<number> {
    const { queue, backlog, logger } = this.options;
    try {
      const { announced } = await queue.announce(wakes);
      await backlog.repeated(announced);
      return announced.length;
    } catch (error) {
      logger.warn({ err: error }, 'announcements could not be recorded; the reconciler will repeat them');
      return 0;
    }
  }

  private track<T>(work: Promise<T>): Promise<T> {
    const entry = work.finally(() => this.running.delete(entry));
    this.running.add(entry);
    return entry;
  }
}
