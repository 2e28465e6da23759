/** Renewal of leases by a thread, while the main thread stands still or the thread dies. Slow, because leases have to run out. */
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Lease } from '@bullpen/core';
import { LeaseKeeper, momentNow, type Moment } from '@bullpen/store';
import { startProcess, waitFor } from '@bullpen/testing';
import type { Pool } from 'pg';
import { StoreWorld } from '../../test/store-world.js';

const WORKER = 'worker_a';
const LEASE_MS = 3_000;
const RENEW_MS = 300;

/** The thread of the event loop stands still, as under a long computation. */
const block = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('a lease thread that is gone', () => {
  it('stops every run, lets none begin, says so once, and keeps nobody waiting at the end', async () => {
    const world = await StoreWorld.open({ leaseMs: LEASE_MS });
    const dead: Error[] = [];
    const keeper = new LeaseKeeper({
      ...{ databaseUrl: world.database.url, workerId: WORKER, leaseMs: LEASE_MS, renewMs: RENEW_MS },
      onProblem: () => undefined,
      onDead: (error) => dead.push(error),
    });
    try {
      await keeper.started();
      const held = keeper.hold(await world.running(), momentNow());
      await keeper['thread'].terminate();
      await waitFor(() => dead.length > 0, { what: 'the news' });
      expect([held.aborted, held.reason]).toEqual([true, 'stale']);
      const late = await world.running();
      expect(keeper.hold(late, momentNow()).aborted).toBe(true);
      expect(keeper.stillHolds(late)).toBe(false);
    } finally {
      await keeper.close();
      await world.close();
    }
    expect(dead.map(({ message }) => message)).toEqual([
      expect.stringMatching(/thread that renews leases is dead: it ended with code/),
    ]);
  });
});

describe('a main thread that stands still', () => {
  it('does not keep its leases for ever: the thread that renews them ends the process', async () => {
    const entry = fileURLToPath(new URL('../../test/stuck-main-thread.mjs', import.meta.url));
    const stuck = startProcess(entry);
    await stuck.waitForOutput('stands still');
    expect(await stuck.ended).toMatchObject({ signal: 'SIGKILL' });
    expect(stuck.stderr).toContain('worker_stuck has stood still for 1000 ms');
  });
});

describe('the last look at a lease', () => {
  let world: StoreWorld;
  let pool: Pool;
  let keeper: LeaseKeeper;
  let lease: Lease;
  let claimedAt: Moment;
  let problems: string[];

  beforeAll(async () => {
    world = await StoreWorld.open({ leaseMs: LEASE_MS });
    ({ pool } = world);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    const id = await world.create();
    claimedAt = momentNow();
    lease = await world.claim(id, 1, WORKER);
    problems = [];
    keeper = new LeaseKeeper({
      ...{ databaseUrl: world.database.url, workerId: WORKER, leaseMs: LEASE_MS, renewMs: RENEW_MS },
      onProblem: (message) => problems.push(message),
    });
    await keeper.started();
  });
  afterEach(() => keeper.close());

  const untilRenewed = async () => {
    const read = async () =>
      (
        await pool.query<{ at: Date }>('SELECT lease_expires_at AS at FROM tasks WHERE id = $1', [
          lease.taskId,
        ])
      ).rows[0]?.at;
    const before = await read();
    await waitFor(async () => (await read())?.getTime() !== before?.getTime(), { what: 'a renewal' });
  };

  it('says yes after the event loop stood still for longer than the lease, as the thread went on', () => {
    const signal = keeper.hold(lease, claimedAt);
    block(LEASE_MS * 1.5);
    expect([keeper.stillHolds(lease), signal.aborted]).toEqual([true, false]);
  });

  it('says no as soon as the thread knows of a loss, before the event loop comes to hear of it', async () => {
    const signal = keeper.hold(lease, claimedAt);
    await untilRenewed();
    await pool.query('UPDATE tasks SET epoch = epoch + 1 WHERE id = $1', [lease.taskId]);
    block(RENEW_MS * 5);
    expect([keeper.stillHolds(lease), signal.reason]).toEqual([false, 'lost']);
  });

  it('says no by the clock alone when nothing was heard for a whole lease', () => {
    const { steadyMs, wallMs } = momentNow();
    for (const long of [
      { steadyMs: steadyMs - LEASE_MS, wallMs },
      { steadyMs, wallMs: wallMs - LEASE_MS },
    ]) {
      const signal = keeper.hold(lease, long);
      expect([keeper.stillHolds(lease), signal.reason]).toEqual([false, 'stale']);
      keeper.release(lease);
    }
  });

  it('counts from the newest renewal', async () => {
    keeper.hold(lease, claimedAt);
    await waitFor(() => momentNow().steadyMs - claimedAt.steadyMs > LEASE_MS * 1.5, {
      what: 'a lease and a half',
    });
    expect(keeper.stillHolds(lease)).toBe(true);
  });

  it('says yes to a run that was only asked to stop: it has its task to give back', async () => {
    const signal = keeper.hold(lease, claimedAt);
    await pool.query('UPDATE tasks SET cancel_requested_at = now() WHERE id = $1', [lease.taskId]);
    keeper.lookNow();
    await waitFor(() => signal.aborted, { what: 'the signal' });
    expect([signal.reason, keeper.stillHolds(lease)]).toEqual(['requested', true]);
  });

  it('says no to what was let go of, and to an older lease of the same task', () => {
    keeper.hold(lease, claimedAt);
    expect(keeper.stillHolds({ ...lease, epoch: lease.epoch - 1 })).toBe(false);
    keeper.release(lease);
    expect(keeper.stillHolds(lease)).toBe(false);
  });

  it.each([
    ['is held first', true],
    ['comes late', false],
  ])('stops the run that has the task by an older lease, where that one %s', (_, isFirst) => {
    const older = { ...lease, epoch: lease.epoch - 1 };
    const inOrder = isFirst ? [older, lease] : [lease, older];
    const signals = new Map(inOrder.map((one) => [one, keeper.hold(one, claimedAt)]));
    expect(signals.get(older)).toMatchObject({ aborted: true, reason: 'lost' });
    keeper.release(older);
    expect([signals.get(lease)?.aborted, keeper.stillHolds(lease), keeper.size]).toEqual([false, true, 1]);
  });

  it('says no once no renewal came through for half a lease', async () => {
    const signal = keeper.hold(lease, claimedAt);
    await untilRenewed();
    const holder = await pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM tasks WHERE id = $1 FOR UPDATE', [lease.taskId]);
      await waitFor(() => signal.aborted, { what: 'the signal' });
      expect([signal.reason, keeper.stillHolds(lease)]).toEqual(['stale', false]);
      expect(problems.at(-1)).toMatch(/No lease could be renewed for 1500 ms/);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });
});
