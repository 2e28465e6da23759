import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@bullpen/testing';
import { createLogger } from './logger.js';
import { Repeating } from './repeating.js';

describe('work that is done again and again', () => {
  let part: Repeating;
  let lines: { level: string; msg: string }[];
  afterEach(() => part.stop());

  function begin(run: () => Promise<void>, lateMs?: number): void {
    lines = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line) as never) };
    const logger = createLogger({ name: 'test', level: 'info', destination });
    part = new Repeating({
      name: 'looking',
      everyMs: 5,
      run,
      logger,
      ...(lateMs !== undefined && { lateMs }),
    });
    part.start();
  }

  it('runs one at a time, and is waited for at the end', async () => {
    let open = 0;
    let most = 0;
    let runs = 0;
    begin(async () => {
      most = Math.max(most, (open += 1));
      await new Promise((resolve) => setTimeout(resolve, 12));
      open -= 1;
      runs += 1;
    });
    await waitFor(() => runs >= 3, { what: 'three runs' });
    await part.stop();
    expect([open, most, part.trouble()]).toEqual([0, 1, null]);
  });

  it('goes on after failures, says so each time, and is in trouble after three in a row until it works', async () => {
    let works = false;
    let failures = 0;
    begin(() => {
      if (works) return Promise.resolve();
      failures += 1;
      throw new Error('the database is away');
    });
    await waitFor(() => part.trouble() !== null, { what: 'trouble' });
    expect(part.trouble()).toMatch(/^looking failed \d+ times in a row: the database is away$/);
    expect(lines[0]).toMatchObject({ level: 'warn', msg: 'looking failed; it is tried again' });
    works = true;
    await waitFor(() => part.trouble() === null, { what: 'no trouble' });
    expect(lines).toHaveLength(failures);
  });

  it('says once when a run hangs, and waits for it no more', async () => {
    begin(() => new Promise(() => undefined), 20);
    await waitFor(() => lines.length > 0, { what: 'the news' });
    expect(part.trouble()).toMatch(/^looking has been at it for \d+ s$/);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(lines).toMatchObject([{ level: 'error', msg: expect.stringContaining('has been at it') }]);
    await part.stop();
  });

  it('looks less and less often while it finds nothing, and at once again when it is stirred', async () => {
    const at: number[] = [];
    let found = false;
    part = new Repeating({
      ...{ name: 'looking', everyMs: 20, calmMs: 100_000 },
      run: () => {
        at.push(performance.now());
        return Promise.resolve(found);
      },
      logger: createLogger({ name: 'test', level: 'silent' }),
    });
    part.start();
    await waitFor(() => at.length >= 5, { what: 'five runs' });
    const pauses = at.slice(1).map((time, n) => time - (at[n] ?? 0));
    // A busy machine makes pauses longer, never shorter.
    for (const [n, pause] of pauses.entries()) expect(pause).toBeGreaterThan(20 * 2 ** n - 5);

    found = true;
    part.stir();
    const before = at.length;
    await waitFor(() => at.length >= before + 10, { what: 'ten more', timeoutMs: 5_000 });
  });
});
