/**
 * Tells the queue and the live bus what a commit did. Never in the way of the commit: what fails here is found again, by the
 * reconciler (wakes) and by the watchers (rows).
 */
import type { BusMessage } from '@bullpen/contracts';
import type { Logger } from '@bullpen/platform';
import type { EventBus } from './bus.js';
import type { TaskQueue, Wake } from './task-queue.js';
import { pause } from './within.js';

/** What the store says after a commit. */
export interface Committed {
  readonly wakes: readonly { readonly taskId: string; readonly wake: number }[];
  readonly rows: readonly Omit<Extract<BusMessage, { kind: 'rows' }>, 'kind'>[];
  readonly cancels: readonly Omit<Extract<BusMessage, { kind: 'cancel' }>, 'kind'>[];
}

/** Far less than the time after which the reconciler takes an announcement for lost. */
const MARK_GATHER_MS = 25;
const NEVER = new AbortController().signal;

export interface AnnouncerOptions {
  readonly queue: TaskQueue;
  readonly bus: Pick<EventBus, 'publish'>;
  /** Remembers in the store what was announced. */
  readonly markAnnounced: (wakes: readonly Wake[]) => Promise<void>;
  readonly logger: Logger;
}

export class Announcer {
  private readonly options: AnnouncerOptions;
  private running: Promise<void> = Promise.resolve();
  private unmarked: Wake[] = [];
  private marking: Promise<void> | null = null;

  constructor(options: AnnouncerOptions) {
    this.options = options;
  }

  /** To be called after each commit. Returns at once; never throws. */
  committed(effects: Committed): void {
    for (const rows of effects.rows) this.options.bus.publish({ kind: 'rows', ...rows });
    for (const cancel of effects.cancels) this.options.bus.publish({ kind: 'cancel', ...cancel });
    if (effects.wakes.length > 0) void this.announce(effects.wakes.map((wake) => ({ ...wake, tries: 0 })));
  }

  /** Announces wakes and remembers it. Gives how many were announced; never throws. */
  async announce(wakes: readonly Wake[]): Promise<number> {
    const work = this.announceNow(wakes);
    this.running = Promise.all([this.running, work]).then(() => undefined);
    return work;
  }

  /** Resolves when what was under way is done. */
  async settled(): Promise<void> {
    await this.running;
  }

  private async announceNow(wakes: readonly Wake[]): Promise<number> {
    const { queue, logger } = this.options;
    try {
      const { announced, failed } = await queue.announce(wakes);
      if (failed.length > 0)
        logger.warn({ failed: failed.length }, 'wakes could not be announced; the reconciler does it later');
      if (announced.length > 0) await this.mark(announced);
      return announced.length;
    } catch (error) {
      logger.warn({ err: error }, 'announcements could not be remembered; the reconciler repeats them');
      return 0;
    }
  }

  /** Gathers for a moment: marks of many commits share a transaction, and a wake that was claimed by then needs none. */
  private mark(announced: readonly Wake[]): Promise<void> {
    this.unmarked.push(...announced);
    this.marking ??= pause(MARK_GATHER_MS, NEVER).then(() => {
      const wakes = this.unmarked;
      this.unmarked = [];
      this.marking = null;
      return this.options.markAnnounced(wakes);
    });
    return this.marking;
  }
}
