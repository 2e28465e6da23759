import { waitFor } from '@bullpen/testing';
import { describe, expect, it } from '@jest/globals';
import { KeptDatabase, type StackDatabase } from './kept-database.js';

const FAST = { firstMs: 5, maxMs: 20, steadyMs: 60_000, maxQuickCrashes: 3 };

/** Databases that end when they are told to; each start takes the next URL. */
function someDatabases(...urls: string[]) {
  const running: { end(): void; stopped: boolean }[] = [];
  const start = (): Promise<StackDatabase> => {
    const url = urls[Math.min(running.length, urls.length - 1)];
    if (url === undefined) return Promise.reject(new Error('no database'));
    let end!: () => void;
    const exited = new Promise<void>((resolve) => (end = resolve));
    const entry = { end, stopped: false };
    running.push(entry);
    const stop = (): Promise<void> => {
      entry.stopped = true;
      end();
      return exited;
    };
    return Promise.resolve({ url, exited, stop });
  };
  return { start, running };
}

describe('a kept database', () => {
  it('is started again when it is gone, and stopped once', async () => {
    const { start, running } = someDatabases('postgres://h:1/b');
    const events: string[] = [];
    const database = new KeptDatabase({ start, backoff: FAST, onEvent: (event) => events.push(event.type) });
    expect(await database.url()).toBe('postgres://h:1/b');
    running[0]?.end();
    await waitFor(() => events.includes('up'), { what: 'it is up again' });
    await database.stop();
    expect(events).toEqual(['crashed', 'up', 'stopping', 'stopped']);
    expect(running.map((each) => each.stopped)).toEqual([false, true]);
  });

  it('says so when it comes back at an address that the others do not know', async () => {
    const { start, running } = someDatabases('postgres://h:1/b', 'postgres://h:2/b');
    const texts: string[] = [];
    const onEvent = (event: { type: string; text?: string }): unknown =>
      event.text !== undefined && texts.push(event.text);
    const database = new KeptDatabase({ start, backoff: FAST, onEvent });
    await database.url();
    running[0]?.end();
    await waitFor(() => texts.length > 0, { what: 'the notice' });
    expect(texts[0]).toMatch(/port 2.*start it again/);
    await database.stop();
  });

  it('has nothing to stop when it did not start', async () => {
    const database = new KeptDatabase({ ...someDatabases(), backoff: FAST, onEvent: () => undefined });
    await expect(database.url()).rejects.toThrow('no database');
    await database.stop();
  });
});
