/**
 * All that is watched in this process: one subscription to the bus, fanned out in memory, and a poll that goes on when the bus
 * is silent. The bus may lose messages; the poll makes that a delay of a second and not a loss.
 */
import type { BusMessage } from '@bullpen/contracts';
import { Repeating } from '@bullpen/platform';
import type { EventBus } from '@bullpen/queue';
import { readEventSeqs, type Prisma } from '@bullpen/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { EVENT_BUS, LOGGER, PRISMA, type Logger } from '../http/tokens.js';
import { EventFeed } from './event-feed.js';
import { keysOf, type EventSource } from './event-source.js';

/** Pause between two polls, in ms. */
const POLL_MS = 1_000;
/** A poll is one small query; what takes this long hangs, in ms. */
const LATE_MS = 15_000;

/** A feed of whatever kind of place; the hub never looks at places of others than single tasks. */
interface AnyFeed {
  readonly source: Pick<EventSource<never>, 'key' | 'endsWith'>;
  readonly place: unknown;
  announce(taskId: string, seq: number): void;
  nudge(): void;
  delta(delta: Extract<BusMessage, { kind: 'delta' }>['delta']): void;
}

@Injectable()
export class EventHub implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #feeds = new Map<string, { feed: AnyFeed; users: number }>();
  readonly #poll: Repeating;
  #unsubscribe: (() => Promise<void>) | null = null;

  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const run = (): Promise<void> => this.#look();
    this.#poll = new Repeating({
      name: 'looking for events',
      everyMs: POLL_MS,
      lateMs: LATE_MS,
      run,
      logger,
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    this.#poll.start();
    this.#unsubscribe = await this.bus.subscribe(
      (message) => this.#hear(message),
      () => this.#nudgeAll(),
    );
  }

  async onModuleDestroy(): Promise<void> {
    await this.#poll.stop();
    await this.#unsubscribe?.();
  }

  /** Why streams may be late, or silent; null when all is well. */
  trouble(): string | null {
    return this.#poll.trouble();
  }

  /** The feed of a source, the same one for everyone who watches the same thing. Give it back with `release`. */
  acquire<Place>(source: EventSource<Place>): EventFeed<Place> {
    const known = this.#feeds.get(source.key);
    if (known) {
      known.users += 1;
      // Equal keys are only ever made for sources of one kind, so the place type is the same.
      return known.feed as unknown as EventFeed<Place>;
    }
    const feed = new EventFeed(source, this.logger);
    this.#feeds.set(source.key, { feed, users: 1 });
    return feed;
  }

  /** One user less; a feed without any is forgotten. */
  release(feed: AnyFeed): void {
    const known = this.#feeds.get(feed.source.key);
    if (known?.feed !== feed) return;
    known.users -= 1;
    if (known.users === 0) this.#feeds.delete(feed.source.key);
  }

  #hear(message: BusMessage): void {
    if (message.kind !== 'rows' && message.kind !== 'delta') return;
    for (const key of keysOf(message)) {
      const feed = this.#feeds.get(key)?.feed;
      if (message.kind === 'rows') feed?.announce(message.taskId, message.seq);
      else feed?.delta(message.delta);
    }
  }

  #nudgeAll(): void {
    for (const { feed } of this.#feeds.values()) feed.nudge();
  }

  async #look(): Promise<void> {
    // One cheap question for all single tasks; only those that are behind are read.
    const feeds = [...this.#feeds.values()].map(({ feed }) => feed);
    const single = feeds.filter((feed) => typeof feed.place === 'number');
    const ids = single.flatMap((feed) => feed.source.endsWith ?? []);
    const newest = ids.length > 0 ? await readEventSeqs(this.prisma, ids) : new Map<string, number>();
    for (const feed of single)
      if ((newest.get(feed.source.endsWith ?? '') ?? 0) > Number(feed.place)) feed.nudge();
    for (const feed of feeds) if (typeof feed.place !== 'number') feed.nudge();
  }
}
