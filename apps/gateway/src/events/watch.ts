/** The life of one stream: first the rows that the reader has not seen, then the tail. */
import type { LiveDelta, TaskEvent } from '@bullpen/contracts';
import { FEED_PAGE, type EventFeed, type Watcher } from './event-feed.js';
import { isEndOf, type Beginning } from './event-source.js';
import type { Frames } from './frames.js';
import type { SseStream } from './sse-stream.js';

/**
 * Sends everything after the watcher's place, in order and once, until the reader goes or the stream's task has ended.
 * Resolves when the watcher has joined the tail, or the stream is over.
 */
export async function watch<Place>(
  feed: EventFeed<Place>,
  stream: SseStream,
  watcher: StreamWatcher<Place>,
  start: Pick<Beginning<Place>, 'outlook' | 'isNewest'>,
): Promise<void> {
  const { source } = feed;
  // One that comes back right away has missed nothing, and others watch: what comes now they hear of together.
  if (start.outlook === 'open' && start.isNewest && feed.place !== null && feed.join(watcher)) return;
  while (!stream.isClosed) {
    const { events, outlook } = await source.look(watcher.place, FEED_PAGE);
    for (const event of events) {
      watcher.send(event);
      await stream.drained();
    }
    if (events.length === FEED_PAGE) continue;
    const next = await outlook();
    if (next === 'over') return stream.end();
    watcher.endsWithNextRows = next === 'ending';
    if (!stream.isClosed && feed.join(watcher)) return;
  }
}

/** Deltas that may wait for the rows before them; more are dropped, as deltas may be. */
const MAX_EARLY = 1_000;

/** Writes what a feed hands out to a stream, and ends it with its task. */
export class StreamWatcher<Place> implements Watcher<Place> {
  /** Set when the task has ended and only its last rows are still to come. */
  endsWithNextRows = false;
  #place: Place;
  /** The newest row that was sent of each task that goes on. */
  readonly #sent = new Map<string, number>();
  /** Deltas that were faster than the rows before them, which an open transaction may hold back. */
  #early: LiveDelta[] = [];
  readonly #feed: EventFeed<Place>;
  readonly #stream: SseStream;
  readonly #frames: Frames;

  constructor(feed: EventFeed<Place>, stream: SseStream, frames: Frames, from: Place) {
    this.#feed = feed;
    this.#stream = stream;
    this.#frames = frames;
    this.#place = from;
  }

  get place(): Place {
    return this.#place;
  }

  send(event: TaskEvent): void {
    const { source } = this.#feed;
    this.#place = source.placeOf(event);
    if (isEndOf(event.taskId, event)) this.#sent.delete(event.taskId);
    else this.#sent.set(event.taskId, event.seq);
    this.#stream.send(this.#frames.of(source.idOf(this.#place), event));
  }

  rows(events: readonly TaskEvent[]): void {
    for (const event of events) this.send(event);
    const ends = events.some((event) => isEndOf(this.#feed.source.endsWith, event));
    if (ends || this.endsWithNextRows) return this.#stream.end();
    for (const delta of this.#early.splice(0)) this.delta(delta);
  }

  /** Carries the id of the last row: a delta is nothing that one could resume from. */
  delta(delta: LiveDelta): void {
    if (delta.afterSeq > (this.#sent.get(delta.taskId) ?? delta.afterSeq)) {
      if (this.#early.length < MAX_EARLY) this.#early.push(delta);
      return;
    }
    this.#stream.send(this.#frames.of(this.#feed.source.idOf(this.#place), delta));
  }
}
