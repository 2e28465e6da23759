import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { UsageQuery } from '@bullpen/contracts';
import { StoreWorld } from '../../test/store-world.js';
import { getUsageReport } from '../queries/usage-report.js';
import { pruneTrees } from '../tasks/retention.js';
import { addUpUsage } from './usage-hours.js';

const HOUR_MS = 3_600_000;
let world: StoreWorld;
let trees: readonly string[];

beforeAll(async () => {
  world = await StoreWorld.open();
});
afterAll(() => world.close());

/** Calls of three trees over three days, at no round time, some of them without a price. */
beforeEach(async () => {
  await world.pool.query(
    `TRUNCATE tasks, ui_events, usage_records, usage_hours, usage_tree_hours, usage_archive, budget_accounts CASCADE`,
  );
  await world.pool.query('UPDATE usage_seals SET until = NULL');
  const made = [];
  for (const [tenantId, tags] of [
    ['default', ['a', 'b']],
    ['default', []],
    ['other', ['a']],
  ] as const) {
    const task = world.task({ tenantId, tags: [...tags] });
    await world.commands.create(task);
    made.push(task.id);
  }
  trees = made;
  await world.pool.query(
    `INSERT INTO usage_records (model_call_id, task_id, root_id, tenant_id, agent, model, at, input_tokens, output_tokens, cache_read_tokens,
       cache_write_5m_tokens, cache_write_1h_tokens, cost_nano_usd, estimated, simulated)
     SELECT t.id || g, t.id, t.id, t.tenant_id, 'agent' || g % 2, 'model' || g % 3, now() - g * interval '1234 seconds', g, 1, 2, 3, 4,
       CASE WHEN g % 7 > 0 THEN g * 1000 END, g % 5 = 0, g % 2 = 0
     FROM tasks t, generate_series(1, 200) g`,
  );
});

const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();

/** Each kind of key, of spans with ends in and between hours. */
async function reports(spans: readonly Partial<UsageQuery>[]): Promise<unknown[]> {
  const all: unknown[] = [];
  const keys = [
    { groupBy: 'day', splitBy: 'model' },
    { groupBy: 'tag', splitBy: 'agent' },
    { groupBy: 'day', splitBy: 'tag' },
    { groupBy: 'tag' },
    { groupBy: 'tenant' },
  ] as const;
  for (const scope of ['default', null])
    for (const span of spans)
      for (const key of keys)
        all.push(await getUsageReport(world.prisma, scope, UsageQuery.parse({ ...key, ...span })));
  return all;
}

describe('usage that is added up', () => {
  it('leaves every report as it was, wherever it begins and ends', async () => {
    const spans = [
      {},
      { from: ago(30.3) },
      { to: ago(20.7) },
      { from: ago(40.2), to: ago(40.1) },
      { from: ago(50.5), to: ago(2.2) },
      { from: new Date(Math.floor(Date.now() / HOUR_MS - 9) * HOUR_MS).toISOString() },
    ];
    const before = await reports(spans);
    expect(await addUpUsage(world.pool)).toBe(true);
    const { rowCount } = await world.pool.query('SELECT FROM usage_hours');
    expect(rowCount).toBeGreaterThan(100);
    expect(await reports(spans)).toEqual(before);
    expect(await addUpUsage(world.pool)).toBe(false);
  });

  it('counts for the tags that its tree has now, few or many, and once for the whole', async () => {
    await addUpUsage(world.pool);
    const byTag = async () => {
      const report = await getUsageReport(world.prisma, 'default', UsageQuery.parse({ groupBy: 'tag' }));
      const calls = Object.fromEntries(report.data.map(({ key, modelCalls }) => [key, modelCalls]));
      return { calls, total: report.total.modelCalls };
    };
    expect(await byTag()).toEqual({ calls: { '': 200, a: 200, b: 200 }, total: 400 });
    const many = ['b', 'c', 'd', 'e', 'f', 'g'];
    await world.commands.tag('default', trees[0] ?? '', { add: many, remove: ['a'] });
    await world.commands.tag('default', trees[1] ?? '', { add: ['b'], remove: [] });
    const each = Object.fromEntries(many.map((tag) => [tag, 200]));
    expect(await byTag()).toEqual({ calls: { ...each, b: 400 }, total: 400 });
  });

  it('takes tags as long as they may be', async () => {
    const long = (count: number, length: number) =>
      Array.from({ length: count }, (_, n) =>
        Array.from({ length }, (_, at) =>
          String.fromCharCode(0x4e00 + ((at * 7919 + n * 104_729) % 20_000)),
        ).join(''),
      );
    // As many as the index holds of an imported task, and as many as any task may have.
    for (const tags of [long(4, 200), long(20, 64)]) {
      const id = await world.create({ tags });
      expect((await world.prisma.task.findUniqueOrThrow({ where: { id } })).tags).toEqual(tags);
    }
  });

  it('waits for a transaction that may still add to an hour', async () => {
    const client = await world.pool.connect();
    await client.query('BEGIN');
    const { rows } = await client.query<{ hour: Date }>(
      `SELECT date_trunc('hour', least(now(), now() - interval '10 minutes')) AS hour`,
    );
    await addUpUsage(world.pool);
    const seal = await world.prisma.usageSeal.findFirstOrThrow();
    expect(seal.until?.getTime()).toBeLessThanOrEqual(rows[0]?.hour.getTime() ?? 0);
    await client.query('ROLLBACK');
    client.release();
  });

  it('stays in the reports when its tree is deleted, once', async () => {
    await addUpUsage(world.pool);
    const totals = async () => {
      const query = UsageQuery.parse({ groupBy: 'model' });
      return (await getUsageReport(world.prisma, 'default', query)).data;
    };
    const before = await totals();
    await world.pool.query(
      `UPDATE tasks SET state = 'cancelled', stop_cause = 'cancelled', ended_at = now() - interval '2 days' WHERE id = $1`,
      [trees[0]],
    );
    const { pool } = world;
    const pruned = await pruneTrees(
      { pool, olderThanS: 60, states: ['cancelled'], tenantId: null },
      new AbortController().signal,
    );
    expect(pruned.trees).toBe(1);
    expect(await totals()).toEqual(before);
    const where = { rootId: trees[0] ?? '' };
    expect([
      await world.prisma.usageHour.count({ where }),
      await world.prisma.usageTreeHour.count({ where }),
    ]).toEqual([0, 0]);
  });
});
