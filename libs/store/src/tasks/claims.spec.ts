import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Lease } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import type { PostgresTaskStore } from '@bullpen/store';
import { aNewChild, aStep, waitFor } from '@bullpen/testing';
import type { Pool } from 'pg';
import { StoreWorld } from '../../test/store-world.js';

/** Claims and first loads of several tasks, asked for at the same moment. What each of them gets must not depend on the others. */
describe('claims that share a commit', () => {
  let world: StoreWorld;
  let pool: Pool;
  let store: PostgresTaskStore;
  /** Names of the statements that claim and load, in their order. */
  let statements: string[] = [];

  beforeAll(async () => {
    world = await StoreWorld.open();
    ({ pool, store } = world);
    world.hear((statement) => {
      const { name = '' } = statement;
      if (/^(claim|load)-/.test(name)) statements.push(name);
      return statement;
    });
  });
  beforeEach(() => {
    statements = [];
    world.effects = [];
  });
  afterAll(async () => {
    const broken = await world.broken();
    await world.close();
    expect(broken).toEqual([]);
  });

  const queued = async (count: number) => {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) ids.push(await world.create());
    statements = [];
    world.effects = [];
    return ids;
  };
  const atOnce = (ids: readonly string[], workerId = 'worker_a') =>
    Promise.all(ids.map((id) => store.claim(id, 1, workerId)));
  const stateOf = async (id: string) => {
    const { rows } = await pool.query<Record<string, unknown>>(
      `SELECT state, epoch, worker_id AS "workerId", lease_expires_at > now() AS "isHeld", started_at IS NOT NULL AS "hasStarted",
         (SELECT count(*)::int FROM dispatches d WHERE d.task_id = t.id) AS dispatches,
         (SELECT count(*)::int FROM attempts a WHERE a.task_id = t.id) AS attempts,
         (SELECT json_agg(e.type ORDER BY e.seq) FROM ui_events e WHERE e.task_id = t.id) AS events
       FROM tasks t WHERE id = $1`,
      [id],
    );
    return rows[0];
  };
  const RUNS = {
    ...{ state: 'running', epoch: 1, workerId: 'worker_a', isHeld: true, hasStarted: true },
    ...{
      dispatches: 0,
      attempts: 1,
      events: ['task.created', 'message.user', 'task.status_changed', 'attempt.started'],
    },
  };
  const QUEUED = { state: 'queued', epoch: 0, dispatches: 1 };
  const leaseOf = (taskId: string): Lease => ({ taskId, epoch: 1, workerId: 'worker_a' });
  /** Somebody holds what this statement locks, while the work goes on. */
  async function whileHeld<T>(lock: string, id: string, work: () => Promise<T>): Promise<T> {
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query(lock, [id]);
      return await work();
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
  }

  it('are stored as each alone would be, in one statement, and everybody is told of each', async () => {
    const ids = await queued(5);
    expect(await atOnce(ids)).toEqual(ids.map(leaseOf));
    expect(statements).toEqual(['claim-tasks']);
    for (const id of ids) expect(await stateOf(id)).toEqual(RUNS);
    expect(world.effects.flatMap(({ rows }) => rows.map(({ taskId, seq }) => [taskId, seq]))).toEqual(
      ids.map((id) => [id, 4]),
    );
    const [alone = ''] = await queued(1);
    await store.claim(alone, 1, 'worker_a');
    expect(statements).toEqual(['claim-task']);
    expect(await stateOf(alone)).toEqual(RUNS);
  });

  it('give nothing for what cannot be taken, and take all else', async () => {
    const [first = '', taken = '', paused = '', last = ''] = await queued(4);
    const later = await world.create({ runAt: new Date(Date.now() + 3_600_000) });
    await world.claim(taken, 1, 'worker_b');
    await world.commands.pause('default', paused, false);
    const asked = [first, taken, paused, later, 'task_unknown', last];
    expect(await atOnce(asked)).toEqual([leaseOf(first), null, null, null, null, leaseOf(last)]);
    expect(await store.claim(first, 2, 'worker_a')).toBeNull();
    expect(await stateOf(taken)).toMatchObject({ workerId: 'worker_b', epoch: 1 });
    expect(await stateOf(later)).toMatchObject(QUEUED);
    const [a = '', b = ''] = await queued(2);
    expect(await Promise.all([store.claim(a, 2, 'worker_a'), store.claim(b, 1, 'worker_a')])).toEqual([
      null,
      leaseOf(b),
    ]);
    expect(await stateOf(a)).toMatchObject(QUEUED);
  });

  it('give one lease to a task that is asked for twice', async () => {
    const [one = '', other = ''] = await queued(2);
    const claims = await atOnce([one, other, one]);
    expect(claims.filter((lease) => lease?.taskId === one)).toEqual([leaseOf(one)]);
    expect(claims[1]).toEqual(leaseOf(other));
    for (const id of [one, other]) expect(await stateOf(id)).toEqual(RUNS);
  });

  it('give the lease to the newest wake, and nothing to an older one of the same task', async () => {
    const [task = '', other = ''] = await queued(2);
    await pool.query('UPDATE tasks SET wake = 2 WHERE id = $1', [task]);
    await pool.query('UPDATE dispatches SET wake = 2 WHERE task_id = $1', [task]);
    const asked = [1, 2].map((wake) => store.claim(task, wake, 'worker_a'));
    expect(await Promise.all([...asked, store.claim(other, 1, 'worker_a')])).toEqual([
      null,
      leaseOf(task),
      leaseOf(other),
    ]);
    expect(statements.filter((name) => name === 'claim-tasks')).toHaveLength(1);
  });

  it('never share between workers: each of them has its own', async () => {
    const ids = await queued(6);
    const [ours, theirs] = await Promise.all([atOnce(ids.slice(0, 3)), atOnce(ids.slice(3), 'worker_b')]);
    expect([...ours, ...theirs].map((lease) => lease?.workerId)).toEqual([
      ...Array<string>(3).fill('worker_a'),
      ...Array<string>(3).fill('worker_b'),
    ]);
    expect(statements).toEqual(['claim-tasks', 'claim-tasks']);
  });

  it.each([
    ['the task', 'SELECT FROM tasks WHERE id = $1 FOR UPDATE'],
    [
      'its dispatch, which is just being announced',
      'UPDATE dispatches SET announced_at = now() WHERE task_id = $1',
    ],
  ])('wait for nobody who holds %s of one, and that one goes on when it is free', async (_, lock) => {
    const ids = await queued(4);
    const [held = '', ...others] = ids;
    let late: Promise<Lease | null> | undefined;
    await whileHeld(lock, held, async () => {
      const claims = ids.map((id) => store.claim(id, 1, 'worker_a'));
      late = claims[0];
      expect(await Promise.all(claims.slice(1))).toEqual(others.map(leaseOf));
      await waitFor(() => statements.includes('claim-task'), { what: 'the held one to go alone' });
      expect(await stateOf(held)).toMatchObject(QUEUED);
    });
    expect(await late).toEqual(leaseOf(held));
    for (const id of ids) expect(await stateOf(id)).toEqual(RUNS);
  });

  it('follow what somebody wants of queue and worker', async () => {
    const root = await world.running();
    const child = aNewChild();
    await store.commit(root, aStep({ children: [child] }));
    const [a = '', b = ''] = await queued(2);
    await pool.query(`UPDATE queue_flows SET state = 'draining'`);
    expect(await atOnce([a, child.id, b])).toEqual([null, leaseOf(child.id), null]);
    await pool.query(`UPDATE queue_flows SET state = 'paused'`);
    expect(await atOnce([a, b])).toEqual([null, null]);
    await pool.query(`UPDATE queue_flows SET state = 'open'`);
    await pool.query(
      `INSERT INTO workers (id, host, pid, slots, version, flow) VALUES ('worker_p', 'h', 1, 1, '1', 'paused')`,
    );
    expect(await atOnce([a, b], 'worker_p')).toEqual([null, null]);
    expect(await atOnce([a, b])).toEqual([leaseOf(a), leaseOf(b)]);
  });

  it('are each refused alone when the server takes a value of none', async () => {
    const ids = await queued(2);
    const claims = await Promise.allSettled(ids.map((id) => store.claim(id, 1, 'worker\0')));
    expect(claims.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await atOnce(ids)).toEqual(ids.map(leaseOf));
  });

  it('of a server that is gone reject, each of them, and what was not taken can be taken', async () => {
    const ids = await queued(3);
    const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const other = await pool.connect();
    await other.query('BEGIN; LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE');
    const claims = Promise.allSettled(ids.map((id) => store.claim(id, 1, 'worker_a')));
    const pid = await waitFor(async () => (await pool.query<{ pid: number }>(waiting)).rows[0]?.pid, {
      what: 'the claims to wait for the table',
    });
    await pool.query('SELECT pg_terminate_backend($1)', [pid]);
    await other.query('ROLLBACK');
    other.release();
    expect((await claims).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    for (const id of ids) expect(await stateOf(id)).toMatchObject(QUEUED);
    expect(await atOnce(ids)).toEqual(ids.map(leaseOf));
  });

  it('are loaded together when they run for the first time, each with what is its own', async () => {
    const root = await world.running();
    const children = [aNewChild({ prompt: 'one' }), aNewChild({ prompt: 'two' })];
    await store.commit(root, aStep({ children }));
    const [other = ''] = await queued(1);
    const leases = (await atOnce([...children.map(({ id }) => id), other])).flatMap((lease) => lease ?? []);
    statements = [];
    const lost: Lease = { taskId: newId('task'), epoch: 1, workerId: 'worker_a' };
    const together = await Promise.all([...leases, lost].map((lease) => store.load(lease)));
    expect(statements).toEqual(['load-tasks']);
    expect(together.map((one) => one?.task.prompt)).toEqual(['one', 'two', 'P', undefined]);
    const alone = [];
    for (const lease of leases) alone.push(await store.load(lease));
    expect(statements.slice(1)).toEqual(['load-task', 'load-task', 'load-task']);
    expect(together.slice(0, 3)).toEqual(alone);
  });
});
