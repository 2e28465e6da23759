/** Tasks that are submitted at the same moment. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@bullpen/platform';
import { waitFor } from '@bullpen/testing';
import { isUnreachable } from '../database/pool.js';
import { IdempotencyKeys } from '../requests/idempotency.js';
import type { NewRootTask } from './birth.js';
import { StoreWorld } from '../../test/store-world.js';

describe('submits that come together', () => {
  let world: StoreWorld;
  beforeAll(async () => {
    world = await StoreWorld.open();
  });
  beforeEach(() => {
    world.effects = [];
  });
  afterAll(() => world.close());

  const together = (all: readonly Partial<NewRootTask>[]) =>
    Promise.allSettled(all.map((over) => world.create(over)));
  const idsOf = (results: readonly PromiseSettledResult<string>[]) =>
    results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const reasonsOf = (results: readonly PromiseSettledResult<string>[]) =>
    results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  const plain = (count: number) => Array.from({ length: count }, (_, n) => ({ title: `T${n}` }));
  const stored = async (ids: readonly string[]) => {
    const { rows } = await world.pool.query<{ id: string; title: string; xmin: string; parts: string }>(
      `SELECT id, title, xmin::text, concat_ws(' ', (SELECT count(*) FROM api_messages WHERE task_id = t.id),
         (SELECT string_agg(seq || ':' || type, ',' ORDER BY seq) FROM ui_events WHERE task_id = t.id),
         (SELECT count(*) FROM attempts WHERE task_id = t.id), (SELECT count(*) FROM dispatches WHERE task_id = t.id),
         (SELECT count(*) FROM budget_accounts WHERE root_id = t.id)) AS parts
       FROM tasks t WHERE id = ANY ($1)`,
      [ids],
    );
    return ids.flatMap((id) => rows.filter((row) => row.id === id));
  };
  const commitsOf = async (ids: readonly string[]) =>
    new Set((await stored(ids)).map(({ xmin }) => xmin)).size;

  it('share one commit, and each has everything of its own', async () => {
    const ids = idsOf(await together(plain(32)));
    const rows = await stored(ids);
    expect(rows.map(({ title }) => title)).toEqual(plain(32).map(({ title }) => title));
    expect(new Set(rows.map(({ parts }) => parts))).toEqual(
      new Set(['1 1:task.created,2:message.user 1 1 1']),
    );
    expect(await commitsOf(ids)).toBe(1);
    expect(await world.broken()).toEqual([]);
  });

  it('are told of in one go: a wake and the newest event of each, in order', async () => {
    const later = { runAt: new Date(Date.now() + 3_600_000) };
    const ids = idsOf(await together([{}, later, { tenantId: 'other' }]));
    const [first, second, third] = ids;
    expect(world.effects).toEqual([
      {
        wakes: [first, third].map((taskId) => ({ taskId, wake: 1 })),
        rows: [first, second, third].map((taskId) => ({
          tenantId: taskId === third ? 'other' : 'default',
          rootId: taskId,
          taskId,
          seq: 2,
        })),
        cancels: [],
      },
    ]);
  });

  it('lose only what the server refuses: the rest is stored and told of once', async () => {
    const taken = await world.create();
    world.effects = [];
    const bad = [{ id: taken }, { tenantId: 'nobody' }, { priority: 2 ** 40 }];
    const results = await together([...plain(16), ...bad, ...plain(13)]);
    expect(reasonsOf(results)).toMatchObject([{ code: '23505' }, { code: '23503' }, { code: '22003' }]);
    expect(results.slice(16, 19).map(({ status }) => status)).toEqual(bad.map(() => 'rejected'));
    const ids = idsOf(results);
    expect((await stored(ids)).length).toBe(29);
    expect(world.effects.flatMap(({ wakes }) => wakes.map(({ taskId }) => taskId)).sort()).toEqual(
      ids.toSorted(),
    );
    expect(await world.broken()).toEqual([]);
  });

  it('store an id once that two of them have', async () => {
    const id = newId('task');
    const results = await together([{ id }, {}, { id }]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect((await stored([id])).length).toBe(1);
  });

  it('all fail as unreachable when the connection is lost in the middle, and leave nothing; those after them go on', async () => {
    const holder = await world.pool.connect();
    await holder.query('BEGIN; LOCK TABLE budget_accounts IN EXCLUSIVE MODE');
    const ids = Array.from({ length: 5 }, () => newId('task'));
    const caught = together(ids.map((id) => ({ id })));
    const [backend] = await waitFor(
      async () => {
        const { rows } = await holder.query<{ pid: number }>(
          `SELECT pid FROM pg_locks WHERE relation = 'budget_accounts'::regclass AND NOT granted`,
        );
        return rows.length > 0 && rows;
      },
      { what: 'the batch to be in the middle of its statement' },
    );
    const next = together(plain(5));
    await holder.query('SELECT pg_terminate_backend($1)', [backend?.pid]);
    expect(reasonsOf(await caught).map(isUnreachable)).toEqual(ids.map(() => true));
    await holder.query('COMMIT');
    holder.release();
    expect((await stored(idsOf(await next))).length).toBe(5);
    expect(await stored(ids)).toEqual([]);
    expect(await world.broken()).toEqual([]);
  });

  it('go apart from large ones', async () => {
    const ids = idsOf(await together([{}, { prompt: 'x'.repeat(200_000) }, {}]));
    expect(await commitsOf(ids)).toBe(2);
    expect(await commitsOf([ids[0] ?? '', ids[2] ?? ''])).toBe(1);
  });

  it('are stored with the answers to their keys, and not without them', async () => {
    const keys = new IdempotencyKeys(world.pool);
    const taken = await Promise.all(
      ['a', 'b'].map((key) => keys.begin({ tenantId: 'default', key }, 'the body')),
    );
    const claims = taken.flatMap((begin) => (begin.kind === 'fresh' ? [begin.claim] : []));
    // Somebody took the second one over, a minute later.
    await world.pool.query(
      `UPDATE idempotency_keys SET created_at = created_at + interval '61 s' WHERE key = 'b'`,
    );
    world.effects = [];
    const ids = ['a', 'b'].map(() => newId('task'));
    const results = await Promise.allSettled([
      ...claims.map((claim, n) => {
        const [taskId = ''] = ids.slice(n);
        const answer = {
          status: 201,
          location: `/v1/tasks/${taskId}`,
          response: { committedTaskId: taskId },
        };
        return world.commands.create(world.task({ id: taskId }), { claim, answer });
      }),
      world.create(),
    ]);
    expect(results).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'idempotency_in_flight' } },
      { status: 'fulfilled' },
    ]);
    expect((await stored(ids)).map(({ id }) => id)).toEqual(ids.slice(0, 1));
    expect(world.effects.flatMap(({ wakes }) => wakes)).toHaveLength(2);
    expect(await keys.begin({ tenantId: 'default', key: 'a' }, 'the body')).toMatchObject({
      kind: 'replay',
      answer: { status: 201, location: `/v1/tasks/${ids[0]}`, response: { committedTaskId: ids[0] } },
    });
    expect(await keys.begin({ tenantId: 'default', key: 'b' }, 'the body')).toEqual({ kind: 'in_flight' });
  });
});
