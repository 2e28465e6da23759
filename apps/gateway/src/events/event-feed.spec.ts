import { describe, expect, it } from '@jest/globals';
import type { TaskEvent } from '@bullpen/contracts';
import { silentLogger } from '@bullpen/platform';
import { EventFeed, type Watcher } from './event-feed.js';
import type { Beginning, EventSource, Look } from './event-source.js';

/** The rows of one task, and reads that answer when the test says so. */
class Rows implements EventSource<number> {
  readonly key = 'task:t';
  readonly endsWith = 't';
  count = 0;
  readonly open: { answer(): void; fail(): void }[] = [];

  look(after: number, limit: number): Promise<Look> {
    return new Promise((resolve, reject) => {
      this.open.push({
        // The rows of the moment of the answer: the latest that a database could give.
        answer: () =>
          resolve({ events: this.#between(after, limit), outlook: () => Promise.resolve('open') }),
        fail: () => reject(new Error('the database is away')),
      });
    });
  }

  #between(after: number, limit: number): TaskEvent[] {
    const length = Math.max(0, Math.min(limit, this.count - after));
    return Array.from({ length }, (_, index) => ({ taskId: 't', seq: after + index + 1 }) as TaskEvent);
  }

  readonly placeOf = (event: TaskEvent): number => event.seq;
  readonly compare = (a: number, b: number): number => a - b;
  readonly idOf = String;
  readonly begin = (after: number | null): Promise<Beginning<number>> =>
    Promise.resolve({ place: after ?? this.count, outlook: 'open', isNewest: false });

  /** Lets the oldest read end, and whatever follows from that. */
  async settle(how: 'answer' | 'fail' = 'answer'): Promise<void> {
    this.open.shift()?.[how]();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

class Reader implements Watcher<number> {
  readonly seen: number[] = [];
  constructor(readonly from: number) {}

  get place(): number {
    return this.seen.at(-1) ?? this.from;
  }

  rows(events: readonly TaskEvent[]): void {
    for (const { seq } of events) this.seen.push(seq);
  }

  delta(): void {}
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index + 1);

describe('the feed of a stream', () => {
  it('skips no row when the last watcher leaves during a read and one joins that is further behind', async () => {
    const rows = new Rows();
    const feed = new EventFeed(rows, silentLogger());
    rows.count = 8;
    const first = new Reader(5);
    feed.join(first);
    feed.leave(first);
    const second = new Reader(2);
    expect(feed.join(second)).toBe(true);
    while (rows.open.length > 0) await rows.settle();
    expect(second.seen).toEqual(numbers(2, 8));
  });

  it('skips no row when the last watcher leaves during a read and one joins that is ahead of it', async () => {
    const rows = new Rows();
    const feed = new EventFeed(rows, silentLogger());
    const first = new Reader(0);
    rows.count = 250;
    feed.join(first);
    feed.leave(first);
    const second = new Reader(240);
    feed.join(second);
    while (rows.open.length > 0) await rows.settle();
    expect(second.seen).toEqual(numbers(240, 250));
  });

  it('looks at the rows for the first who watches, and not once more for each that joins', async () => {
    const rows = new Rows();
    const feed = new EventFeed(rows, silentLogger());
    rows.count = 3;
    feed.join(new Reader(3));
    expect(rows.open).toHaveLength(1);
    await rows.settle();
    const second = new Reader(3);
    expect(feed.join(second)).toBe(true);
    expect(rows.open).toHaveLength(0);
    rows.count = 4;
    feed.announce('t', 4);
    await rows.settle();
    expect(second.seen).toEqual([4]);
  });

  it('gives every watcher each row once and in order, whatever happens when', async () => {
    for (let seed = 0; seed < 400; seed += 1) {
      const { rows, here, gone } = await anyLife(randomOf(seed));
      const expected = [
        ...here.map((reader) => numbers(reader.from, rows.count)),
        ...gone.map((reader) => numbers(reader.from, reader.place)),
      ];
      expect({ seed, seen: [...here, ...gone].map(({ seen }) => seen) }).toEqual({ seed, seen: expected });
    }
  });
});

/** Rows are written, readers come and go, reads succeed and fail, all by chance; at the end everything that was begun is done. */
async function anyLife(random: () => number) {
  const below = (bound: number): number => Math.floor(random() * bound);
  const rows = new Rows();
  const feed = new EventFeed(rows, silentLogger());
  const here = new Set<Reader>();
  const gone: Reader[] = [];
  const steps: (() => unknown)[] = [
    () => void (rows.count += 1 + below(random() < 0.1 ? 250 : 3)),
    () => feed.announce('t', rows.count),
    () => feed.nudge(),
    () => {
      const reader = new Reader(below(rows.count + 1));
      if (feed.join(reader)) here.add(reader);
    },
    () => {
      for (const reader of here) {
        if (random() < 0.3) continue;
        feed.leave(reader);
        here.delete(reader);
        gone.push(reader);
      }
    },
    () => rows.settle(random() < 0.1 ? 'fail' : 'answer'),
    () => rows.settle(),
  ];
  for (let step = 0; step < 60; step += 1) await Promise.resolve(steps[below(steps.length)]?.());
  feed.nudge();
  while (rows.open.length > 0) await rows.settle();
  for (const reader of here) feed.leave(reader);
  return { rows, here: [...here], gone };
}

/** Numbers from 0 to 1 that only depend on the seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
