import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@bullpen/testing';
import type { LiveDelta } from '@bullpen/contracts';
import { DeltaCoalescer, type CoalescerClock } from './delta-coalescer.js';
import { deltaStream, deltaText } from './delta-text.js';
import { aDelta } from './testing/builders.js';

/** A clock that only goes when it is told to. */
class ManualClock implements CoalescerClock {
  #now = 0;
  readonly #timers = new Map<number, { at: number; run: () => void }>();
  #ids = 0;

  now(): number {
    return this.#now;
  }

  schedule(run: () => void, ms: number): () => void {
    const id = (this.#ids += 1);
    this.#timers.set(id, { at: this.#now + ms, run });
    return () => this.#timers.delete(id);
  }

  get timers(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    for (const end = this.#now + ms; this.#now < end;) {
      this.#now += 1;
      for (const [id, { at, run }] of this.#timers) {
        if (at > this.#now) continue;
        this.#timers.delete(id);
        run();
      }
    }
  }
}

function aCoalescer(): { coalescer: DeltaCoalescer; clock: ManualClock; emitted: LiveDelta[] } {
  const clock = new ManualClock();
  const emitted: LiveDelta[] = [];
  const coalescer = new DeltaCoalescer({ emit: (delta) => emitted.push(delta), clock });
  return { coalescer, clock, emitted };
}

describe('DeltaCoalescer', () => {
  it('emits the first piece at once, and what follows merged after an interval', () => {
    const { coalescer, clock, emitted } = aCoalescer();

    coalescer.push(aDelta({ offset: 0, text: 'a' }));
    coalescer.push(aDelta({ offset: 1, text: 'b' }));
    coalescer.push(aDelta({ offset: 2, text: 'c' }));
    expect(emitted).toEqual([aDelta({ offset: 0, text: 'a' })]);
    clock.advance(50);

    expect(emitted).toEqual([aDelta({ offset: 0, text: 'a' }), aDelta({ offset: 1, text: 'bc' })]);
  });

  it('emits at most 20 updates a second of one text, and loses none of it', () => {
    const { coalescer, clock, emitted } = aCoalescer();
    for (let offset = 0; offset < 1_000; offset += 1) {
      coalescer.push(aDelta({ offset, text: 'x' }));
      clock.advance(1);
    }
    clock.advance(50);

    expect(emitted.length).toBeLessThanOrEqual(21);
    expect(emitted.map(deltaText).join('')).toHaveLength(1_000);
    let offset = 0;
    for (const delta of emitted) {
      expect(delta.data.offset).toBe(offset);
      offset += deltaText(delta).length;
    }
  });

  it('emits at most 2,000 updates a second of all texts together, and loses nothing', () => {
    const { coalescer, clock, emitted } = aCoalescer();
    const texts = 400; // At 20 a second each they would be 8,000.
    for (let offset = 0; offset < 100; offset += 1) {
      for (let n = 0; n < texts; n += 1) coalescer.push(aDelta({ messageId: `m${n}`, offset, text: 'x' }));
      clock.advance(10);
    }
    // Within this second; the first piece of each text goes out at once.
    expect(emitted.length).toBeLessThanOrEqual(2_000 + texts);
    clock.advance(200);
    expect(emitted.map(deltaText).join('')).toHaveLength(100 * texts);
  });

  it('gives each text a rate of its own', () => {
    const { coalescer, clock, emitted } = aCoalescer();
    coalescer.push(aDelta({ messageId: 'm1' }));
    coalescer.push(aDelta({ messageId: 'm2' }));
    coalescer.push({ ...aDelta({ messageId: 'm1' }), type: 'reasoning.delta' } as LiveDelta);
    coalescer.push(aDelta({ taskId: 'other', messageId: 'm1' }));
    expect(emitted).toHaveLength(4);

    clock.advance(30);
    coalescer.push(aDelta({ messageId: 'm3' }));
    coalescer.push(aDelta({ messageId: 'm1', offset: 2 }));
    coalescer.push(aDelta({ messageId: 'm3', offset: 2 }));
    clock.advance(20);
    expect(emitted.at(-1)).toEqual(aDelta({ messageId: 'm1', offset: 2 }));
    clock.advance(30);
    expect(emitted.at(-1)).toEqual(aDelta({ messageId: 'm3', offset: 2 }));
  });

  it.each([
    ['there is a gap', aDelta({ offset: 4, text: 'z' })],
    ['they overlap', aDelta({ offset: 2, text: 'z' })],
    ['the text began anew', aDelta({ offset: 0, text: 'z' })],
    ['a row lies between', aDelta({ offset: 3, text: 'z', afterSeq: 4 })],
    ['they belong to two messages', aDelta({ offset: 3, text: 'z', messageId: 'm2' })],
    ['they belong to two tasks', aDelta({ offset: 3, text: 'z', taskId: 'other' })],
    ['they are of two types', { ...aDelta({ offset: 3, text: 'z' }), type: 'reasoning.delta' } as LiveDelta],
  ])('emits pieces apart and in their order when %s', (_why, next) => {
    const { coalescer, clock, emitted } = aCoalescer();
    const waiting = aDelta({ offset: 1, text: 'bc' });
    for (const delta of [aDelta({ offset: 0, text: 'a' }), waiting, next]) coalescer.push(delta);
    clock.advance(50);
    // One of another text waits for nothing.
    const isOfAnother = deltaStream(next) !== deltaStream(waiting);
    expect(emitted.slice(1)).toEqual(isOfAnother ? [next, waiting] : [waiting, next]);
  });

  it('flushes one task on demand and leaves the others waiting', () => {
    const { coalescer, clock, emitted } = aCoalescer();
    for (const taskId of ['a', 'b']) {
      coalescer.push(aDelta({ taskId, offset: 0, text: 'x' }));
      coalescer.push(aDelta({ taskId, offset: 1, text: 'y' }));
    }

    coalescer.flush('a');
    expect(emitted.slice(2)).toEqual([aDelta({ taskId: 'a', offset: 1, text: 'y' })]);
    clock.advance(50);

    expect(emitted.slice(3)).toEqual([aDelta({ taskId: 'b', offset: 1, text: 'y' })]);
  });

  it('sends a burst early instead of gathering it without a bound', () => {
    const { coalescer, emitted } = aCoalescer();
    for (let n = 0; n < 10; n += 1) coalescer.push(aDelta({ offset: n * 10_000, text: 'x'.repeat(10_000) }));

    expect(emitted.length).toBeGreaterThan(2);
    expect(Math.max(...emitted.map((delta) => deltaText(delta).length))).toBeLessThan(50_000);
  });

  it('forgets quiet texts and then needs no timer', () => {
    const { coalescer, clock } = aCoalescer();
    for (let n = 0; n < 100; n += 1) coalescer.push(aDelta({ messageId: `m${n}` }));
    expect(clock.timers).toBe(1);

    clock.advance(200);

    expect(clock.timers).toBe(0);
  });

  it('emits what waits when it closes, and leaves no timer', () => {
    const { coalescer, clock, emitted } = aCoalescer();
    coalescer.push(aDelta({ offset: 0, text: 'a' }));
    coalescer.push(aDelta({ offset: 1, text: 'b' }));

    coalescer.close();

    expect(emitted.map(deltaText)).toEqual(['a', 'b']);
    expect(clock.timers).toBe(0);
  });

  it('works with the clock of the process', async () => {
    const emitted: LiveDelta[] = [];
    const coalescer = new DeltaCoalescer({ emit: (delta) => emitted.push(delta), intervalMs: 10 });
    coalescer.push(aDelta({ offset: 0, text: 'a' }));
    coalescer.push(aDelta({ offset: 1, text: 'b' }));

    await waitFor(() => emitted.length === 2, { what: 'the second piece' });
    expect(emitted.map(deltaText)).toEqual(['a', 'b']);
    coalescer.close();
  });
});
