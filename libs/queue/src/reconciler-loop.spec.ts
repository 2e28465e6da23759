import { afterEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@bullpen/platform';
import { testDatabase, waitFor } from '@bullpen/testing';
import { PgLeaderLock, type LeaderLock } from './leader-lock.js';
import { Reconciler, type ReconcilerOptions } from './reconciler-loop.js';
import { onDatabase } from './testing/sql.js';
import { recordingLogger } from './testing/builders.js';

const started: Reconciler[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((reconciler) => reconciler.stop()));
});

/** A lock that is held as the test says. */
class SwitchLock implements LeaderLock {
  held = true;
  released = false;

  hold(): Promise<boolean> {
    return Promise.resolve(this.held && !this.released);
  }

  release(): Promise<void> {
    this.released = true;
    return Promise.resolve();
  }
}

function aReconciler(over: Partial<ReconcilerOptions> = {}): Reconciler {
  const reconciler = new Reconciler({ lock: new SwitchLock(), jobs: [], logger: silentLogger(), ...over });
  started.push(reconciler);
  return reconciler;
}

describe('Reconciler', () => {
  it('runs every job at once and then again and again', async () => {
    const runs = { often: 0, seldom: 0 };
    const reconciler = aReconciler({
      jobs: [
        { name: 'often', everyMs: 20, run: () => Promise.resolve(Number(!(runs.often += 1))) },
        { name: 'seldom', everyMs: 60_000, run: () => Promise.resolve(Number(!(runs.seldom += 1))) },
      ],
    });

    reconciler.start();
    reconciler.start();

    await waitFor(() => runs.often > 5, { what: 'many runs' });
    expect(runs.seldom).toBe(1);
    expect(reconciler.isLeader()).toBe(true);
  });

  it('counts and reports repairs, and is silent when there are none', async () => {
    const repairs = [2, 0, 3];
    const reported: [string, number][] = [];
    const { logger, lines } = recordingLogger();
    const reconciler = aReconciler({
      logger,
      jobs: [{ name: 'leases', everyMs: 5, run: () => Promise.resolve(repairs.shift() ?? 0) }],
      onRepairs: (job, count) => reported.push([job, count]),
    });

    reconciler.start();
    await waitFor(() => reported.length === 2, { what: 'both reports' });

    expect(reported).toEqual([
      ['leases', 2],
      ['leases', 3],
    ]);
    expect(reconciler.repairs()).toEqual({ leases: 5 });
    expect(lines.filter(({ msg }) => msg === 'reconciler repaired')).toHaveLength(2);
  });

  it('goes on with a job that throws and with the others, and logs the throw', async () => {
    const runs = { broken: 0, sound: 0 };
    const { logger, lines } = recordingLogger();
    const reconciler = aReconciler({
      logger,
      jobs: [
        {
          name: 'broken',
          everyMs: 5,
          run: () => {
            runs.broken += 1;
            throw new Error('column is missing');
          },
        },
        { name: 'sound', everyMs: 5, run: () => Promise.resolve(Number(!(runs.sound += 1))) },
      ],
    });

    reconciler.start();

    await waitFor(() => runs.broken > 3 && runs.sound > 3, { what: 'both to run again' });
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', job: 'broken' }));
  });

  it('is not held up by a job that hangs, and stops in bounded time', async () => {
    let sound = 0;
    const reconciler = aReconciler({
      jobs: [
        { name: 'hanging', everyMs: 5, run: () => new Promise(() => undefined) },
        { name: 'sound', everyMs: 5, run: () => Promise.resolve(Number(!(sound += 1))) },
      ],
    });
    reconciler.start();
    await waitFor(() => sound > 3, { what: 'the sound one to run again' });
    await expect(reconciler.stop()).resolves.toBeUndefined();
  });

  it('asks once for all jobs that run only then, and runs those that have something to do', async () => {
    let named = new Set<string>();
    const runs: string[] = [];
    let looks = 0;
    let sound = 0;
    const job = (name: string) => ({
      ...{ name, everyMs: 5, whenAsked: true },
      run: () => Promise.resolve(Number(!runs.push(name))),
    });
    aReconciler({
      jobs: [
        job('one'),
        job('other'),
        { name: 'always', everyMs: 5, run: () => Promise.resolve(Number(!(sound += 1))) },
      ],
      look: () => {
        looks += 1;
        return Promise.resolve(named);
      },
    }).start();
    await waitFor(() => looks > 3 && sound > 3, { what: 'some looks' });
    expect(runs).toEqual([]);

    named = new Set(['other']);
    await waitFor(() => runs.length > 3, { what: 'its runs' });
    expect(new Set(runs)).toEqual(new Set(['other']));
  });

  it('looks again after a look that failed, and runs the jobs that need none', async () => {
    let looks = 0;
    let sound = 0;
    const { logger, lines } = recordingLogger();
    let asked = 0;
    aReconciler({
      logger,
      jobs: [
        { name: 'asked', everyMs: 5, whenAsked: true, run: () => Promise.resolve(Number(!(asked += 1))) },
        { name: 'sound', everyMs: 5, run: () => Promise.resolve(Number(!(sound += 1))) },
      ],
      look: () => {
        looks += 1;
        if (looks < 3) throw new Error('the database is away');
        return Promise.resolve(new Set(['asked']));
      },
    }).start();
    await waitFor(() => asked > 0 && sound > 2, { what: 'all to run' });
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  });

  it('never runs a job twice at the same time', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const reconciler = aReconciler({
      jobs: [
        {
          name: 'slow',
          everyMs: 1,
          run: async () => {
            running += 1;
            most = Math.max(most, running);
            await new Promise((resolve) => setTimeout(resolve, 10));
            running -= 1;
            runs += 1;
            return 0;
          },
        },
      ],
    });
    reconciler.start();

    await waitFor(() => runs > 5, { what: 'several runs' });
    expect(most).toBe(1);
  });

  it('runs nothing while another process leads, and everything at once when it is its turn', async () => {
    const lock = new SwitchLock();
    lock.held = false;
    let runs = 0;
    const reconciler = aReconciler({
      lock,
      jobs: [{ name: 'seldom', everyMs: 60_000, run: () => Promise.resolve(Number(!(runs += 1))) }],
    });
    reconciler.start();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(runs).toBe(0);

    lock.held = true;

    await waitFor(() => runs === 1, { what: 'the first run' });
  });

  it('varies its rhythm between 80 and 120 percent', async () => {
    // A busy machine makes pauses longer, never shorter: the shortest of several counts.
    const shortest: number[] = [];
    for (const random of [0, 1]) {
      const at: number[] = [];
      const reconciler = aReconciler({
        random: () => random,
        jobs: [
          { name: 'job', everyMs: 200, run: () => Promise.resolve(Number(!at.push(performance.now()))) },
        ],
      });
      reconciler.start();
      await waitFor(() => at.length === 8, { what: 'some runs', everyMs: 5 });
      await reconciler.stop();
      shortest.push(Math.min(...at.slice(1).map((time, n) => time - (at[n] ?? 0))));
    }

    expect(shortest[0]).toBeGreaterThanOrEqual(155);
    expect(shortest[0]).toBeLessThan(shortest[1] ?? 0);
    expect(shortest[1]).toBeGreaterThanOrEqual(235);
  });

  it('hands over to a second process when the first stops or loses its connection', async () => {
    const database = await testDatabase();
    const runs: string[] = [];
    const aProcess = (name: string): Reconciler =>
      aReconciler({
        lock: new PgLeaderLock({ databaseUrl: database.url, key: 77n, logger: silentLogger() }),
        jobs: [{ name, everyMs: 50, run: () => Promise.resolve(Number(!runs.push(name))) }],
      });
    const first = aProcess('first');
    first.start();
    await waitFor(() => runs.includes('first'), { what: 'the first to lead' });
    const second = aProcess('second');
    second.start();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(runs).not.toContain('second');

    await first.stop();
    await waitFor(() => runs.includes('second'), { what: 'the second to lead' });

    const third = aProcess('third');
    third.start();
    await onDatabase(
      database.url,
      "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND granted",
    );
    runs.length = 0;
    await waitFor(() => runs.length > 5, { what: 'somebody to lead again' });
    await waitFor(() => second.isLeader() !== third.isLeader(), { what: 'exactly one leader' });
    await Promise.all([second.stop(), third.stop()]);
    await database.drop();
  });
});
