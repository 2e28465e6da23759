import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emptyStep, type Lease, type NewChild } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { seeWorker, type PostgresTaskStore, type StoreReconciler, type TaskCommands } from '@bullpen/store';
import { aDefinition, aMessage, aModelCall, aToolCall, waitFor } from '@bullpen/testing';
import type { Pool } from 'pg';
import { prepared, STEP_STATEMENTS } from '../steps/sql.js';
import { StoreWorld } from '../../test/store-world.js';

describe('commands and repairs on tasks', () => {
  let world: StoreWorld;
  let pool: Pool;
  let store: PostgresTaskStore;
  let commands: TaskCommands;
  let reconciler: StoreReconciler;

  beforeAll(async () => {
    world = await StoreWorld.open();
    ({ pool, store, commands, reconciler } = world);
  });
  beforeEach(() => {
    world.effects = [];
  });
  afterAll(() => world.close());

  const create = (runAt: Date | null = null) => world.create({ runAt, tags: ['a'], metadata: { k: 'v' } });
  const claim = (id: string, wake?: number) => world.claim(id, wake);
  const spawn = async (parent: Lease, count: number): Promise<string[]> => {
    const children = Array.from({ length: count }, (): NewChild => ({
      id: newId('task'),
      callId: newId('call'),
      title: 'C',
      prompt: 'P',
      input: null,
      definition: aDefinition(),
    }));
    await store.commit(parent, { ...emptyStep(), children });
    return children.map(({ id }) => id);
  };
  const suspend = (lease: Lease, childIds: string[], dueInMs: number | null = null) =>
    store.commit(lease, {
      ...emptyStep(),
      end: {
        kind: 'suspend',
        waitId: newId('wait'),
        wait: { reason: 'children', mode: 'all', childIds, dueInMs },
      },
    });
  const states = async (...ids: string[]) => {
    const { rows } = await pool.query<{ id: string; state: string }>(
      'SELECT id, state FROM tasks WHERE id = ANY ($1)',
      [ids],
    );
    return ids.map((id) => rows.find((row) => row.id === id)?.state);
  };
  const wakes = () => world.effects.flatMap((committed) => committed.wakes);

  it('has a schema that every prepared statement fits', async () => {
    const client = await pool.connect();
    try {
      for (const name of STEP_STATEMENTS)
        await client.query(`PREPARE "check ${name}" AS ${prepared(name, []).text ?? ''}`);
    } finally {
      client.release(true);
    }
  });

  it('stores a task with all that it needs in one transaction, and wakes it', async () => {
    const id = await create();
    expect(wakes()).toEqual([{ taskId: id, wake: 1 }]);
    const { rows } = await pool.query<{ n: number[] }>(
      `SELECT array[(SELECT count(*) FROM api_messages WHERE task_id = $1), (SELECT count(*) FROM ui_events WHERE task_id = $1),
         (SELECT count(*) FROM attempts WHERE task_id = $1), (SELECT count(*) FROM dispatches WHERE task_id = $1),
         (SELECT count(*) FROM budget_accounts WHERE root_id = $1)]::int[] AS n`,
      [id],
    );
    expect(rows[0]?.n).toEqual([1, 2, 1, 1, 1]);
  });

  it('does not run a task before its time', async () => {
    const id = await create(new Date(Date.now() + 3_600_000));
    expect(wakes()).toEqual([]);
    expect(await store.claim(id, 1, 'worker_a')).toBeNull();
  });

  it('cancels a tree: what waits at once, what runs by mark, and says so once', async () => {
    const root = await create();
    const lease = await claim(root);
    const [first, second] = (await spawn(lease, 2)) as [string, string];
    await suspend(lease, [first, second]);
    const running = await claim(first);
    world.effects = [];
    expect(await commands.cancel('default', root, 'changed my mind')).toBe('cancelled');
    expect(await states(root, first, second)).toEqual(['cancelled', 'running', 'cancelled']);
    expect(world.effects.flatMap(({ cancels }) => cancels)).toEqual([{ tenantId: 'default', rootId: root }]);
    expect(await store.commit(running, { ...emptyStep() })).toMatchObject({
      kind: 'committed',
      cancelRequested: true,
    });
    expect(await commands.cancel('default', root, null)).toBe('cancelled');
    expect(await commands.cancel('default', first, null)).toBe('requested');
    const { rows } = await pool.query<{ types: string[] }>(
      'SELECT array_agg(type ORDER BY seq) AS types FROM ui_events WHERE task_id = $1',
      [first],
    );
    expect(rows[0]?.types.filter((type) => type === 'task.cancel_requested')).toHaveLength(1);
  });

  it('leaves neither money reserved nor calls open when it cancels what a lost worker had begun', async () => {
    const id = await create();
    const lease = await claim(id);
    const messageId = newId('msg');
    const call = aModelCall({ status: 'started', reservedNanoUsd: 500n });
    const toolCall = aToolCall({ messageId, status: 'calling', startedEpoch: 1, startedAt: new Date() });
    const message = aMessage({ id: messageId, seq: 2, role: 'assistant' });
    await store.commit(lease, {
      ...emptyStep(),
      modelCalls: [call],
      messages: [message],
      toolCalls: [toolCall],
      reserveNanoUsd: 500n,
    });
    await pool.query(`UPDATE tasks SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    await reconciler.expireLeases();
    expect(await commands.cancel('default', id, null)).toBe('cancelled');
    const { rows } = await pool.query(
      `SELECT m.status, c.status AS call, b.reserved_nano_usd::int AS reserved, b.spent_nano_usd::int AS spent, t.cost_nano_usd::int AS cost, u.estimated
       FROM tasks t JOIN model_calls m ON m.task_id = t.id JOIN tool_calls c ON c.task_id = t.id JOIN budget_accounts b ON b.root_id = t.id
         JOIN usage_records u ON u.task_id = t.id WHERE t.id = $1`,
      [id],
    );
    expect(rows).toEqual([
      { status: 'abandoned', call: 'canceled', reserved: 0, spent: 500, cost: 500, estimated: true },
    ]);
  });

  it('says not_found for a foreign tenant, and already_ended for what ended', async () => {
    const id = await create();
    expect(await commands.cancel('other', id, null)).toBe('not_found');
    expect(await commands.sendMessage('other', id, { id: newId('inbox'), text: 'x' })).toBe('not_found');
    await store.commit(await claim(id), {
      ...emptyStep(),
      end: {
        kind: 'finish',
        outcome: { state: 'completed', cause: 'goal', output: null, partial: false, failure: null },
      },
    });
    expect(await commands.cancel('default', id, null)).toBe('already_ended');
    expect(await commands.sendMessage('default', id, { id: newId('inbox'), text: 'x' })).toBe('queued');
    expect(await commands.cancel('default', id, null)).toBe('cancelled');
    expect(await commands.sendMessage('default', id, { id: newId('inbox'), text: 'y' })).toBe('queued');
  });

  it('leaves no task of a tree alive when a cancel races with spawns', async () => {
    for (let round = 0; round < 10; round += 1) {
      const root = await create();
      const lease = await claim(root);
      const [children] = await Promise.all([spawn(lease, 5), commands.cancel('default', root, null)]);
      const all = await states(...children);
      expect(all.filter((state) => state !== 'cancelled')).toEqual([]);
    }
  });

  it('queues the task of a lost worker again, and a wait whose time has come', async () => {
    const lost = await create();
    await claim(lost);
    await pool.query(`UPDATE tasks SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [lost]);
    const timed = await create();
    await suspend(await claim(timed), [], 1);
    world.effects = [];
    expect(await reconciler.expireLeases()).toBe(1);
    await waitFor(
      async () => {
        await reconciler.fireDueWaits();
        return (await states(timed))[0] === 'queued';
      },
      { what: 'the timer' },
    );
    expect(await states(lost)).toEqual(['queued']);
    expect(wakes()).toEqual(
      expect.arrayContaining([
        { taskId: lost, wake: 2 },
        { taskId: timed, wake: 2 },
      ]),
    );
    expect(await reconciler.expireLeases()).toBe(0);
  });

  it('blames a task in full for the loss of a worker that ran nothing else, and by half for one that ran others, too', async () => {
    const [alone, one, other] = [await create(), await create(), await create()];
    const crashes = async () => {
      const { rows } = await pool.query<{ crashes: number }>(
        'SELECT crashes FROM tasks WHERE id = ANY ($1) ORDER BY array_position($1, id)',
        [[alone, one, other]],
      );
      return rows.map((row) => row.crashes);
    };
    const loseAll = async (wake: number) => {
      await store.claim(alone, wake, 'worker_alone');
      for (const id of [one, other]) await store.claim(id, wake, 'worker_shared');
      await pool.query(
        `UPDATE tasks SET lease_expires_at = now() - interval '1 second' WHERE id = ANY ($1)`,
        [[alone, one, other]],
      );
      expect(await reconciler.expireLeases()).toBe(3);
    };
    // One after the other: each loss is one of the lease before.
    for (let wake = 1; wake <= 4; wake += 1) await loseAll(wake);
    expect(await crashes()).toEqual([4, 2, 2]);
  });

  it('counts the loss of a lease as a crash only where a process has died: not one that lives, that stopped in order, or with a database that was away', async () => {
    const see = (id: string, ago: string, { stopped = false, since = '1 hour' } = {}) =>
      pool.query(
        `INSERT INTO workers (id, host, pid, slots, version, seen_at, seen_since, stopped_at)
         VALUES ($1, 'h', 1, 1, '0', now() - $2::interval, now() - $4::interval, CASE WHEN $3 THEN now() END)
         ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, seen_since = excluded.seen_since, stopped_at = excluded.stopped_at`,
        [id, ago, stopped, since],
      );
    const crashesAfterLossOf = async (workerId: string) => {
      const id = await create();
      await store.claim(id, 1, workerId);
      await pool.query(`UPDATE tasks SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
      await reconciler.expireLeases();
      const { rows } = await pool.query<{ crashes: number }>('SELECT crashes FROM tasks WHERE id = $1', [id]);
      return rows[0]?.crashes;
    };
    await see('worker_before', '20 seconds');
    expect(await crashesAfterLossOf('worker_before')).toBe(0); // Nobody was seen since: the database was away.
    await see('worker_other', '0 seconds', { since: '0 seconds' });
    expect(await crashesAfterLossOf('worker_before')).toBe(0); // It is back, and one of two was the first to say so.
    await see('worker_other', '1 second');
    expect(await crashesAfterLossOf('worker_before')).toBe(1);
    await see('worker_alive', '3 seconds');
    expect(await crashesAfterLossOf('worker_alive')).toBe(0);
    await see('worker_stopped', '20 seconds', { stopped: true });
    expect(await crashesAfterLossOf('worker_stopped')).toBe(0);
    expect(await crashesAfterLossOf('worker_unknown')).toBe(1);
  });

  it('knows since when a worker has been seen without a gap', async () => {
    const worker = { id: 'worker_w', host: 'h', pid: 1, slots: 1, running: 0, version: '0', simulated: true };
    const see = () => seeWorker(pool, { ...worker, providerKey: 'key', sandbox: 'none' }, false, 10_000);
    const minutes = async () => {
      const { rows } = await pool.query<{ minutes: number }>(
        `SELECT round(extract(epoch FROM now() - seen_since) / 60)::int AS minutes FROM workers WHERE id = 'worker_w'`,
      );
      return rows[0]?.minutes;
    };
    const lastSeen = (ago: string) =>
      pool.query(
        `UPDATE workers SET seen_since = now() - interval '5 minutes', seen_at = now() - $1::interval WHERE id = 'worker_w'`,
        [ago],
      );
    await see();
    await lastSeen('5 seconds');
    await see();
    expect(await minutes()).toBe(5);
    await lastSeen('15 seconds');
    await see();
    expect(await minutes()).toBe(0);
  });

  it('queues a task that a living worker gives back, says why, counts no crash, and heeds no lease that is lost', async () => {
    const id = await create();
    const lease = await claim(id);
    world.effects = [];
    expect(await store.giveBack(lease, 'The database was away.')).toBe(true);
    expect(wakes()).toEqual([{ taskId: id, wake: 2 }]);
    const { rows } = await pool.query(
      `SELECT t.state, t.crashes, e.data ->> 'note' AS note FROM tasks t JOIN ui_events e ON e.task_id = t.id AND e.seq = t.event_seq WHERE t.id = $1`,
      [id],
    );
    expect(rows).toEqual([{ state: 'queued', crashes: 0, note: 'The database was away.' }]);
    expect(await store.giveBack(lease, 'Again.')).toBe(false);
    await store.claim(id, 2, 'worker_b');
    expect(await store.giveBack(lease, 'Again.')).toBe(false);
    expect(await states(id)).toEqual(['running']);
  });

  it('gives dispatch rows to queued tasks that have none', async () => {
    const id = await create();
    await pool.query('DELETE FROM dispatches WHERE task_id = $1', [id]);
    await pool.query(`UPDATE tasks SET updated_at = now() - interval '1 minute' WHERE id = $1`, [id]);
    expect(await reconciler.healDispatches()).toBe(1);
    expect(await reconciler.healDispatches()).toBe(0);
  });

  it('closes edges that an end left open, and wakes the parent', async () => {
    const root = await create();
    const lease = await claim(root);
    const [child] = (await spawn(lease, 1)) as [string];
    await suspend(lease, [child]);
    await pool.query(
      `UPDATE tasks SET state = 'completed', stop_cause = 'goal', ended_at = now() - interval '1 minute' WHERE id = $1`,
      [child],
    );
    expect(await reconciler.healEdges()).toBe(1);
    await reconciler.fireDueWaits();
    expect(await states(root)).toEqual(['queued']);
  });
});
