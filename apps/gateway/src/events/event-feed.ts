/**
 * The tail of one thing that is watched: rows are read once and handed to everyone who watches it. The rows are the truth;
 * a nudge only says when to look.
 */
import type { LiveDelta, TaskEvent } from '@bullpen/contracts';
import type { Logger } from '../http/tokens.js';
import type { EventSource } from './event-source.js';

/** Rows that are read at once. */
export const FEED_PAGE = 100;
/** A row that was announced may be held back by an older open transaction: look again after this time, in ms. */
const HELD_BACK_MS = 50;
/** Deltas that may wait for the rows before them; more are dropped, as deltas may be. */
const MAX_WAITING_DELTAS = 1_000;

/** Someone who watches. The methods must not throw and must not block. */
export interface Watcher<Place> {
  /** Place of the last row that was sent. */
  readonly place: Place;
  rows(events: readonly TaskEvent[]): void;
  delta(delta: LiveDelta): void;
}

export class EventFeed<Place> {
  readonly source: EventSource<Place>;
  readonly #logger: Logger;
  readonly #watchers = new Set<Watcher<Place>>();
  #pumping = false;
  #again = false;
  #waitingDeltas: LiveDelta[] = [];
  /** Announced rows that were not read yet, by task. */
  readonly #awaited = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(source: EventSource<Place>, logger: Logger) {
    this.source = source;
    this.#logger = logger;
  }

  /**
   * Where the next read begins: the earliest place of those who watch, null without any. Always asked of them and never kept
   * beside them: a copy could move under a read while watchers come and go, and the rows between would be nobody's.
   */
  get place(): Place | null {
    let earliest: Place | null = null;
    for (const { place } of this.#watchers)
      if (earliest === null || this.source.compare(place, earliest) < 0) earliest = place;
    return earliest;
  }

  /**
   * Takes in a watcher that has read up to its place. False when the others are further: rows lie between, which the watcher
   * must read first. Nothing is awaited in here, so nothing can slip in between.
   */
  join(watcher: Watcher<Place>): boolean {
    const { place } = this;
    if (place !== null && this.source.compare(watcher.place, place) < 0) return false;
    this.#watchers.add(watcher);
    // Rows may have come since the watcher's last look. Where others watch, the feed has heard of them.
    if (place === null) this.nudge();
    return true;
  }

  leave(watcher: Watcher<Place>): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size > 0) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#waitingDeltas = [];
  }

  /** New rows of a task are said to exist. */
  announce(taskId: string, seq: number): void {
    this.#awaited.set(taskId, Math.max(seq, this.#awaited.get(taskId) ?? 0));
    this.nudge();
  }

  /** Look for rows. Calls that come while a look is under way make one more look. */
  nudge(): void {
    if (this.#pumping) this.#again = true;
    else if (this.#watchers.size > 0) void this.#pump();
  }

  /** Hands on a delta, after the rows that came before it. */
  delta(delta: LiveDelta): void {
    if (!this.#pumping) this.#deliver(delta);
    else if (this.#waitingDeltas.length < MAX_WAITING_DELTAS) this.#waitingDeltas.push(delta);
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    try {
      do {
        this.#again = false;
        await this.#readAll();
      } while (this.#again && this.#watchers.size > 0);
    } catch (error) {
      // The next nudge or poll tries again from the same place.
      this.#logger.warn({ err: error, feed: this.source.key }, 'could not read events');
    } finally {
      this.#pumping = false;
    }
    for (const delta of this.#waitingDeltas.splice(0)) this.#deliver(delta);
    this.#lookAgainForHeldBack();
  }

  async #readAll(): Promise<void> {
    for (let full = true; full;) {
      const from = this.place;
      if (from === null) return;
      const { events } = await this.source.look(from, FEED_PAGE);
      full = events.length === FEED_PAGE;
      for (const { taskId, seq } of events)
        if ((this.#awaited.get(taskId) ?? 0) <= seq) this.#awaited.delete(taskId);
      for (const watcher of this.#watchers) this.#hand(watcher, from, events);
    }
  }

  /** Hands on what was read from a place, to a watcher for whom it leaves nothing out. */
  #hand(watcher: Watcher<Place>, from: Place, events: readonly TaskEvent[]): void {
    const { compare, placeOf } = this.source;
    // It joined during the read, when those for whom it was begun had left. Its own look is the next one.
    if (compare(watcher.place, from) < 0) return;
    // One that joined after its own look may be ahead of the others.
    const unseen = events.filter((event) => compare(placeOf(event), watcher.place) > 0);
    if (unseen.length > 0) watcher.rows(unseen);
  }

  #lookAgainForHeldBack(): void {
    if (this.#awaited.size === 0 || this.#timer !== null || this.#watchers.size === 0) return;
    // Once; after that the poll of the hub goes on.
    this.#awaited.clear();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.nudge();
    }, HELD_BACK_MS);
  }

  #deliver(delta: LiveDelta): void {
    for (const watcher of this.#watchers) watcher.delta(delta);
  }
}
