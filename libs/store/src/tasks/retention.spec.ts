/** Retention on a real database: what goes, what stays, and that no money is forgotten. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emptyStep, type Lease, type TaskOutcome } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { aModelCall, aNewChild, aUsage } from '@bullpen/testing';
import type { Pool } from 'pg';
import { checkInvariants } from '../invariants/check-invariants.js';
import { type Prisma } from '../database/prisma-client.js';
import { countPrunable, knownTasks, pruneTrees, type PruneFilter, type PruneOptions } from './retention.js';
import { getUsageReport } from '../queries/usage-report.js';
import type { PostgresTaskStore } from './task-store.js';
import { StoreWorld } from '../../test/store-world.js';

const GOAL: TaskOutcome = { state: 'completed', cause: 'goal', output: 'x', partial: false, failure: null };
const FAILED: TaskOutcome = {
  state: 'failed',
  cause: 'error',
  output: null,
  partial: false,
  failure: { cause: 'error', code: 'model_failed', message: 'It failed.' },
};
const OLD: PruneFilter = {
  olderThanS: 30 * 86_400,
  states: ['completed', 'failed', 'cancelled'],
  tenantId: null,
};

describe('pruning', () => {
  let world: StoreWorld;
  let pool: Pool;
  let prisma: Prisma;
  let store: PostgresTaskStore;

  beforeAll(async () => {
    world = await StoreWorld.open();
    ({ pool, prisma, store } = world);
  });
  beforeEach(async () => {
    await pool.query(
      'TRUNCATE tasks, ui_events, usage_records, budget_accounts, usage_archive, idempotency_keys CASCADE',
    );
  });
  afterAll(() => world.close());

  const create = (tenantId = 'default') => world.running({ tenantId });
  const claim = (id: string) => world.claim(id);
  const pay = async (lease: Lease, model: string) => {
    const call = aModelCall({ status: 'done', turn: 1 });
    await store.commit(lease, {
      ...emptyStep(),
      modelCalls: [call],
      usage: [{ ...aUsage(), modelCallId: call.id, model }],
    });
  };
  const finish = (lease: Lease, outcome: TaskOutcome = GOAL) =>
    store.commit(lease, { ...emptyStep(), end: { kind: 'finish', outcome } });
  /** As if it had all happened that many days ago. */
  const age = async (rootId: string, days: number) => {
    const past = `- ${days} * interval '1 day'`;
    await pool.query(
      `UPDATE tasks SET ended_at = ended_at ${past}, created_at = created_at ${past} WHERE root_id = $1`,
      [rootId],
    );
    await pool.query(`UPDATE usage_records SET at = at ${past} WHERE root_id = $1`, [rootId]);
  };
  /** A root with a child; both used a model, both ended. */
  const aTree = async (days: number, outcome: TaskOutcome = GOAL, tenantId = 'default') => {
    const root = await create(tenantId);
    const child = aNewChild();
    await store.commit(root, { ...emptyStep(), children: [child] });
    const below = await claim(child.id);
    await pay(root, 'model-a');
    await pay(below, 'model-b');
    await finish(below);
    await finish(root, outcome);
    await age(root.taskId, days);
    return root.taskId;
  };
  const prune = (over: Partial<PruneOptions> = {}, signal = new AbortController().signal) =>
    pruneTrees({ pool, ...OLD, ...over }, signal);
  const left = async () =>
    (await pool.query<{ id: string }>('SELECT id FROM tasks WHERE parent_id IS NULL ORDER BY id')).rows.map(
      ({ id }) => id,
    );
  const reports = (tenantId = 'default') =>
    Promise.all(
      (['day', 'model', 'agent'] as const).map(async (groupBy) => {
        const { data, total } = await getUsageReport(prisma, tenantId, { groupBy });
        return { data, total };
      }),
    );
  const broken = async () => (await checkInvariants(pool)).filter(({ holds }) => !holds);

  it('deletes whole trees that ended long ago, and the reports of usage stay as they were', async () => {
    const old = [await aTree(31), await aTree(31, FAILED), await aTree(40), await aTree(90, GOAL, 'other')];
    const young = await aTree(29);
    const before = [await reports(), await reports('other')];

    expect(await prune({ batch: 2 })).toEqual({ trees: 4, tasks: 8 });

    expect(await left()).toEqual([young]);
    expect([await reports(), await reports('other')]).toEqual(before);
    expect(before[0]?.[0]?.total.modelCalls).toBe(8);
    expect(await knownTasks(pool, [...old, young])).toEqual(new Set([young]));
    const { rows } = await pool.query(
      `SELECT (SELECT count(*) FROM budget_accounts)::int AS accounts, (SELECT count(DISTINCT root_id) FROM ui_events)::int AS events,
         (SELECT count(*) FROM usage_records)::int AS records`,
    );
    expect(rows).toEqual([{ accounts: 1, events: 1, records: 2 }]);
    expect(await broken()).toEqual([]);
  });

  it('adds to what was archived before', async () => {
    await aTree(31);
    await prune();
    await aTree(31);
    const before = await reports();
    await prune();
    expect(await reports()).toEqual(before);
    expect(before[0]?.total.modelCalls).toBe(4);
  });

  it('takes what the filter says and nothing else, and counts the same beforehand without changing anything', async () => {
    const failed = await aTree(31, FAILED);
    const other = await aTree(31, FAILED, 'other');
    const completed = await aTree(31);
    const filter: PruneFilter = { ...OLD, states: ['failed'], tenantId: 'default' };

    expect(await countPrunable(pool, filter)).toMatchObject({ trees: 1, tasks: 2 });
    expect(await left()).toHaveLength(3);
    expect(await prune(filter)).toEqual({ trees: 1, tasks: 2 });

    expect(await left()).toEqual([other, completed].sort());
    expect(await knownTasks(pool, [failed])).toEqual(new Set());
  });

  it('keeps a tree of which something still lives', async () => {
    const root = await aTree(31);
    await pool.query(`UPDATE tasks SET state = 'running' WHERE parent_id = $1`, [root]);
    expect(await countPrunable(pool, OLD)).toMatchObject({ trees: 0 });
    expect(await prune()).toEqual({ trees: 0, tasks: 0 });
    expect(await left()).toEqual([root]);
    expect((await pool.query('SELECT 1 FROM usage_archive')).rowCount).toBe(0);
  });

  it('keeps a tree that somebody tries again at this moment, and lets nobody try again what is gone', async () => {
    const root = await aTree(31, FAILED);
    const request = () => ({ messageId: newId('inbox'), message: null, limits: {} });
    // Between the look and the lock.
    const before = async () =>
      void expect(await world.commands.retry('default', root, request())).toEqual({ kind: 'queued' });
    expect(await prune({ before })).toEqual({ trees: 0, tasks: 0 });
    expect(await left()).toEqual([root]);
    expect(await broken()).toEqual([]);

    const gone = await aTree(31, FAILED);
    await prune();
    expect(await world.commands.retry('default', gone, request())).toEqual({ kind: 'not_found' });
  });

  it('and a retry end one way or the other when they meet, never both', async () => {
    const roots = await Promise.all(Array.from({ length: 12 }, () => aTree(31, FAILED)));
    const [count, ...results] = await Promise.all([
      prune({ batch: 4 }),
      ...roots.map((id) =>
        world.commands.retry('default', id, { messageId: newId('inbox'), message: null, limits: {} }),
      ),
    ]);
    const queued = roots.filter((_, n) => results[n]?.kind === 'queued');
    expect(await left()).toEqual(queued.sort());
    expect(count.trees).toBe(roots.length - queued.length);
    expect(await broken()).toEqual([]);
  });

  it('run by two at once deletes and counts everything once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => aTree(31)));
    const before = await reports();
    const counts = await Promise.all([prune({ batch: 3 }), prune({ batch: 3 })]);
    expect(counts.reduce((sum, { trees }) => sum + trees, 0)).toBe(8);
    expect(await reports()).toEqual(before);
  });

  it('leaves whole trees when it dies, and goes on where it was', async () => {
    await Promise.all(Array.from({ length: 3 }, () => aTree(31)));
    const before = await reports();
    let seen = 0;
    const dies = prune({
      after: () => {
        seen += 1;
        return seen === 2 ? Promise.reject(new Error('killed')) : Promise.resolve();
      },
    });
    await expect(dies).rejects.toThrow('killed');
    expect(await left()).toHaveLength(1);
    expect(await reports()).toEqual(before);
    expect(await broken()).toEqual([]);
    expect(await prune()).toEqual({ trees: 1, tasks: 2 });
    expect(await reports()).toEqual(before);
  });

  it('stops between two trees when it is told to', async () => {
    await Promise.all(Array.from({ length: 3 }, () => aTree(31)));
    const stop = new AbortController();
    expect(await prune({ after: () => Promise.resolve(stop.abort()) }, stop.signal)).toEqual({
      trees: 1,
      tasks: 2,
    });
    expect(await left()).toHaveLength(2);
  });

  it('forgets kept answers that show what is gone, and no others', async () => {
    const gone = await aTree(31);
    const young = await aTree(1);
    for (const [key, id] of [
      ['a', gone],
      ['b', young],
    ])
      await pool.query(
        `INSERT INTO idempotency_keys (tenant_id, key, request_hash, status, location, response)
         VALUES ('default', $1 || '1', 'h', 201, '/v1/tasks/' || $2, 'null'), ('default', $1 || '2', 'h', 200, NULL, json_build_object('rootId', $2::text)),
                ('default', $1 || '3', 'h', 200, NULL, '[]')`,
        [key, id],
      );
    await prune();
    const { rows } = await pool.query<{ key: string }>('SELECT key FROM idempotency_keys ORDER BY key');
    expect(rows.map(({ key }) => key)).toEqual(['a3', 'b1', 'b2', 'b3']);
  });
});
