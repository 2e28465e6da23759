import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { BusMessage } from '@bullpen/contracts';
import { waitFor } from '@bullpen/testing';
import { mergeRows, Outbox, type OutboxOptions } from './outbox.js';
import { aDelta, deltaMessage, rows } from './testing/builders.js';

const opened: Outbox[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((outbox) => outbox.close()));
});

function anOutbox(over: Partial<OutboxOptions> = {}): {
  outbox: Outbox;
  batches: BusMessage[][];
  warnings: string[];
} {
  const batches: BusMessage[][] = [];
  const warnings: string[] = [];
  const outbox = new Outbox({
    send: (batch) => Promise.resolve(void batches.push([...batch])),
    warn: (what) => warnings.push(what),
    ...over,
  });
  opened.push(outbox);
  return { outbox, batches, warnings };
}

/** A `send` that is stuck until it is let go. */
function stuck(): {
  send: (batch: readonly BusMessage[]) => Promise<void>;
  letGo: () => void;
  batches: BusMessage[][];
} {
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const batches: BusMessage[][] = [];
  const send = async (batch: readonly BusMessage[]): Promise<void> => {
    batches.push([...batch]);
    await gate;
  };
  return { send, letGo, batches };
}

describe('merging nudges', () => {
  it('keeps the newest of a task, and never lets one overtake a delta of its task', () => {
    const delta = deltaMessage(aDelta({ taskId: 'a' }));

    expect(
      mergeRows([rows('a', 1), rows('b', 1), rows('a', 3), rows('a', 2), delta, rows('a', 4), rows('b', 2)]),
    ).toEqual([rows('a', 3), rows('b', 2), delta, rows('a', 4)]);
  });

  it('leaves cancels and deltas alone', () => {
    const messages: BusMessage[] = [
      { kind: 'cancel', tenantId: 'acme', rootId: 'a' },
      { kind: 'cancel', tenantId: 'acme', rootId: 'a' },
      deltaMessage(aDelta()),
      deltaMessage(aDelta()),
    ];

    expect(mergeRows(messages)).toEqual(messages);
  });
});

describe('Outbox', () => {
  it('sends what came within a moment as one batch, and later messages as another', async () => {
    const { outbox, batches } = anOutbox();
    outbox.push(rows('a', 1));
    outbox.push(rows('b', 1));
    await waitFor(() => batches.length === 1, { what: 'the first batch' });
    outbox.push(rows('a', 2));
    await waitFor(() => batches.length === 2, { what: 'the second batch' });

    expect(batches).toEqual([[rows('a', 1), rows('b', 1)], [rows('a', 2)]]);
  });

  it('sends the first after a pause at once, and gathers what comes within 20 ms of it', async () => {
    jest.useFakeTimers();
    try {
      const { outbox, batches } = anOutbox();
      outbox.push(rows('a', 1));
      await jest.advanceTimersByTimeAsync(1);
      expect(batches).toEqual([[rows('a', 1)]]);
      outbox.push(rows('b', 1));
      await jest.advanceTimersByTimeAsync(10);
      outbox.push(rows('c', 1));
      expect(batches).toHaveLength(1);
      await jest.advanceTimersByTimeAsync(10);
      expect(batches.slice(1)).toEqual([[rows('b', 1), rows('c', 1)]]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('never sends two batches at the same time', async () => {
    const { send, letGo, batches } = stuck();
    const { outbox } = anOutbox({ send });
    outbox.push(rows('a', 1));
    await waitFor(() => batches.length === 1, { what: 'the first batch' });
    outbox.push(rows('b', 1));
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(batches).toHaveLength(1);

    letGo();
    await waitFor(() => batches.length === 2, { what: 'the second batch' });
  });

  it('drops the oldest deltas and keeps every nudge when it falls behind', async () => {
    const { send, letGo, batches } = stuck();
    const { outbox, warnings } = anOutbox({ send, maxMessages: 100 });
    outbox.push(rows('first', 1));
    await waitFor(() => batches.length === 1, { what: 'the first batch' });

    for (let n = 0; n < 300; n += 1) outbox.push(deltaMessage(aDelta({ taskId: 'a', offset: n, text: 'x' })));
    for (let n = 0; n < 40; n += 1) outbox.push(rows(`t${n}`, n));
    letGo();
    await waitFor(() => batches.length === 2, { what: 'the second batch' });

    const sent = batches[1] ?? [];
    const offsets = sent.flatMap((message) => (message.kind === 'delta' ? [message.delta.data.offset] : []));
    expect(sent.filter((message) => message.kind === 'rows')).toHaveLength(40);
    expect(sent.length).toBeLessThanOrEqual(100);
    expect(offsets.at(-1)).toBe(299);
    expect(offsets).toEqual(offsets.map((_, index) => 300 - offsets.length + index));
    expect(outbox.dropped).toBe(300 - offsets.length);
    expect(warnings).toContain('live events are falling behind: deltas were dropped');
  });

  it('bounds the text that waits, not only the number of messages', async () => {
    const { send, letGo, batches } = stuck();
    const { outbox } = anOutbox({ send, maxText: 10_000 });
    outbox.push(rows('first', 1));
    await waitFor(() => batches.length === 1, { what: 'the first batch' });

    for (let n = 0; n < 50; n += 1)
      outbox.push(deltaMessage(aDelta({ offset: n * 1_000, text: 'x'.repeat(1_000) })));
    letGo();
    await waitFor(() => batches.length === 2, { what: 'the second batch' });

    expect(batches[1]?.length).toBeLessThanOrEqual(10);
  });

  it('sends the nudges of a failed batch again, merged with newer ones, and loses its deltas', async () => {
    const batches: BusMessage[][] = [];
    const { outbox, warnings } = anOutbox({
      send: (batch) => {
        batches.push([...batch]);
        return batches.length === 1 ? Promise.reject(new Error('away')) : Promise.resolve();
      },
    });
    outbox.push(rows('a', 1));
    outbox.push(deltaMessage(aDelta({ taskId: 'a' })));
    await waitFor(() => batches.length === 1, { what: 'the failed batch' });
    outbox.push(rows('a', 2));
    await waitFor(() => batches.length === 2, { what: 'the second try' });

    expect(batches[1]).toEqual([rows('a', 2)]);
    expect(outbox.dropped).toBe(1);
    expect(warnings).toEqual(['live events could not be sent']);
  });

  it('closes in bounded time although sending hangs', async () => {
    const { send } = stuck();
    const { outbox } = anOutbox({ send });
    outbox.push(rows('a', 1));

    await expect(outbox.close()).resolves.toBeUndefined();
  });
});
