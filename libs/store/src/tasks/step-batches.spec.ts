import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { CommitResult, Lease, Step } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { PostgresTaskStore } from '@bullpen/store';
import { aMessage, aModelCall, aNewChild, aStep, aToolCall, aUsage, waitFor } from '@bullpen/testing';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import { StoreWorld } from '../../test/store-world.js';

const ALONE = 'commit-step-lean';
const SHARED = 'commit-steps';

/** Usual steps of several tasks, asked for at the same moment. What each of them says must not depend on the others. */
describe('usual steps that share a commit', () => {
  let world: StoreWorld;
  let pool: Pool;
  let store: PostgresTaskStore;
  /** Names of the statements that store steps, in their order. */
  let statements: string[] = [];
  /** Batches have looked at the rows, and wait before they lock them, as long as somebody holds this lock. */
  const GATE = 'SELECT pg_advisory_xact_lock(7)';
  let isGated = false;
  const gated = ({ text, values }: QueryConfig): QueryConfig => ({
    text: text.replace('(\n  SELECT * FROM unnest', `(\n  SELECT g.* FROM (${GATE} OFFSET 0) gate, unnest`),
    ...(values && { values }),
  });

  beforeAll(async () => {
    world = await StoreWorld.open();
    ({ pool, store } = world);
    world.hear((statement) => {
      const { name = '' } = statement;
      if (name.startsWith('commit-step')) statements.push(name);
      if (name !== SHARED || !isGated) return statement;
      isGated = false;
      return gated(statement);
    });
  });
  beforeEach(() => {
    statements = [];
    world.effects = [];
  });
  afterAll(async () => {
    const broken = await world.broken();
    await world.close();
    // Here money is reserved without a call that it is for.
    expect(broken.filter(({ id }) => id !== 'I4')).toEqual([]);
  });

  const running = (count: number) => Promise.all(Array.from({ length: count }, () => world.running()));

  /** Children of one root, which all run. */
  async function siblings(count: number): Promise<{ rootId: string; leases: Lease[] }> {
    const root = await world.running();
    const children = Array.from({ length: count }, () => aNewChild());
    await store.commit(root, aStep({ children }));
    statements = [];
    return { rootId: root.taskId, leases: await Promise.all(children.map(({ id }) => world.claim(id))) };
  }

  /** Starts a tool and says something, with a row of each kind; a model call is settled. */
  function aTurn(more: Partial<Step> = {}): Step {
    const call = aModelCall({ status: 'done', endedAt: new Date() });
    const message = aMessage({
      seq: 2,
      turn: 1,
      role: 'assistant',
      content: `"quoted", {braced} and \\ Übel`,
    });
    const toolCall = aToolCall({
      messageId: message.id,
      status: 'calling',
      startedEpoch: 1,
      startedAt: new Date(),
    });
    return aStep({
      messages: [message],
      events: [
        { type: 'tool.started', data: { callId: toolCall.id, tool: 'read_file', turn: 1, arguments: null } },
        { type: 'message.agent', data: { messageId: message.id, turn: 1, text: 'Hello' } },
      ],
      modelCalls: [call],
      toolCalls: [toolCall],
      usage: [aUsage({ modelCallId: call.id, costNanoUsd: 3n })],
      patch: { turns: 1, mistakes: 0, activeMs: 12, workspacePath: 'C:\\a "b", {c}' },
      ...more,
    });
  }

  const atOnce = (...steps: readonly (readonly [Lease, Step])[]): Promise<CommitResult[]> =>
    Promise.all(steps.map(([lease, step]) => store.commit(lease, step)));
  const kinds = (results: readonly CommitResult[]) => results.map(({ kind }) => kind);
  const setAccount = (rootId: string, limit: number) =>
    pool.query('UPDATE budget_accounts SET limit_nano_usd = $2 WHERE root_id = $1', [rootId, limit]);
  const account = async (rootId: string) =>
    (
      await pool.query<{ reserved: number; spent: number }>(
        'SELECT reserved_nano_usd::int AS reserved, spent_nano_usd::int AS spent FROM budget_accounts WHERE root_id = $1',
        [rootId],
      )
    ).rows[0];

  /** Everything that is stored of a task, without what differs between two tasks that did the same. */
  async function rowsOf({ taskId }: Lease): Promise<unknown[]> {
    const { rows } = await pool.query<{ table: string; row: Record<string, unknown> }>(
      `SELECT 'task' AS table, to_json(t) AS row FROM tasks t WHERE id = $1
       UNION ALL SELECT 'account', to_json(b) FROM budget_accounts b WHERE root_id = $1
       UNION ALL (SELECT 'message', to_json(m) FROM api_messages m WHERE task_id = $1 ORDER BY seq)
       UNION ALL (SELECT 'event', to_json(e) FROM ui_events e WHERE task_id = $1 ORDER BY seq)
       UNION ALL SELECT 'model call', to_json(c) FROM model_calls c WHERE task_id = $1
       UNION ALL SELECT 'tool call', to_json(c) FROM tool_calls c WHERE task_id = $1
       UNION ALL SELECT 'usage', to_json(u) FROM usage_records u WHERE task_id = $1`,
      [taskId],
    );
    const own = /(^|_)(id|tx|at|data)$/;
    return rows.map(({ table, row }) => [table, Object.entries(row).filter(([column]) => !own.test(column))]);
  }
  /** How many messages each has. */
  const counts = async (leases: readonly Lease[]) => {
    const { rows } = await pool.query<{ id: string; messages: number }>(
      `SELECT task_id AS id, count(*)::int AS messages FROM api_messages WHERE task_id = ANY ($1) GROUP BY task_id`,
      [leases.map(({ taskId }) => taskId)],
    );
    return leases.map(({ taskId }) => rows.find(({ id }) => id === taskId)?.messages);
  };

  it('are stored as they would be alone, and told as they would be alone', async () => {
    const [lone, ...others] = (await running(4)) as [Lease, ...Lease[]];
    world.effects = [];
    const [alone] = await atOnce([lone, aTurn({ reserveNanoUsd: 7n, releaseNanoUsd: 2n })]);
    const told = world.effects;
    expect(statements).toEqual([ALONE]);
    world.effects = [];
    const shared = await atOnce(
      ...others.map((lease) => [lease, aTurn({ reserveNanoUsd: 7n, releaseNanoUsd: 2n })] as const),
    );
    expect(statements).toEqual([ALONE, SHARED]);
    expect(shared).toEqual([alone, alone, alone]);
    const expected = await rowsOf(lone);
    expect(expected).toHaveLength(13);
    for (const lease of others) expect(await rowsOf(lease)).toEqual(expected);
    const named = (lease: Lease) =>
      JSON.parse(JSON.stringify(told).replaceAll(lone.taskId, lease.taskId)) as unknown[];
    expect(world.effects).toEqual(others.flatMap(named));
  });

  it('are all stored when there are more than a batch holds', async () => {
    const leases = await running(70);
    const results = await atOnce(...leases.map((lease) => [lease, aTurn()] as const));
    expect(new Set(kinds(results))).toEqual(new Set(['committed']));
    expect(statements).toEqual([SHARED, SHARED]);
    expect(new Set(await counts(leases))).toEqual(new Set([2]));
  });

  it('lose only their own part when a lease is lost, the task does not run, or the account has no room', async () => {
    const leases = await running(6);
    const [, stale, never, paused, poor] = leases as [Lease, Lease, Lease, Lease, Lease, Lease];
    await pool.query(`UPDATE tasks SET state = 'paused' WHERE id = $1`, [paused.taskId]);
    await setAccount(poor.taskId, 10);
    const results = await atOnce(
      ...leases.map((lease) => {
        const epoch = lease === stale ? 0 : lease === never ? 7 : lease.epoch;
        return [{ ...lease, epoch }, aTurn({ reserveNanoUsd: lease === poor ? 100n : 5n })] as const;
      }),
    );
    expect(kinds(results)).toEqual(['committed', 'fenced', 'fenced', 'fenced', 'over_budget', 'committed']);
    expect(results[4]).toEqual({
      kind: 'over_budget',
      limitNanoUsd: 10n,
      spentNanoUsd: 0n,
      reservedNanoUsd: 0n,
    });
    expect(await counts(leases)).toEqual([2, 1, 1, 1, 1, 2]);
    expect(await Promise.all(leases.map(({ taskId }) => account(taskId)))).toEqual(
      [8, 0, 0, 0, 0, 8].map((money) => ({ reserved: money && 5, spent: money && 3 })),
    );
    expect(statements).toEqual([SHARED, ALONE, ALONE, ALONE, ALONE]);
    // So that the row is one that can be.
    await pool.query(`UPDATE tasks SET state = 'running' WHERE id = $1`, [paused.taskId]);
  });

  it('leave out starts of tools of those that are to stop, and only theirs', async () => {
    const leases = await running(4);
    const [, cancelled, paused] = leases as [Lease, Lease, Lease, Lease];
    await world.commands.cancel('default', cancelled.taskId, null);
    await world.commands.pause('default', paused.taskId, false);
    const results = await atOnce(...leases.map((lease) => [lease, aTurn()] as const));
    expect(statements).toEqual([SHARED]);
    expect(
      results.map((result) => result.kind === 'committed' && [result.cancelRequested, result.pauseRequested]),
    ).toEqual([
      [false, false],
      [true, false],
      [false, true],
      [false, false],
    ]);
    const { rows } = await pool.query<{ id: string; status: string; started: number }>(
      `SELECT task_id AS id, status::text, (SELECT count(*)::int FROM ui_events e WHERE e.task_id = c.task_id AND type = 'tool.started') AS started
       FROM tool_calls c WHERE task_id = ANY ($1)`,
      [leases.map(({ taskId }) => taskId)],
    );
    expect(leases.map(({ taskId }) => rows.find(({ id }) => id === taskId))).toMatchObject([
      { status: 'calling', started: 1 },
      { status: 'generated', started: 0 },
      { status: 'generated', started: 0 },
      { status: 'calling', started: 1 },
    ]);
  });

  it('of one tree that do not all fit into its account are stored as far as they fit', async () => {
    const { rootId, leases } = await siblings(3);
    const [neighbour] = (await running(1)) as [Lease];
    await setAccount(rootId, 12);
    const step = () => aStep({ reserveNanoUsd: 5n, messages: [aMessage({ seq: 2 })] });
    const results = await atOnce(...[neighbour, ...leases].map((lease) => [lease, step()] as const));
    expect(kinds(results).sort()).toEqual(['committed', 'committed', 'committed', 'over_budget']);
    expect(results[0]?.kind).toBe('committed');
    expect(await account(rootId)).toEqual({ reserved: 10, spent: 0 });
    expect((await counts(leases)).sort()).toEqual([1, 2, 2]);
    expect(statements).toEqual([SHARED, ALONE, ALONE, ALONE]);
  });

  it('of one tree that fit are charged together, and those that pay nothing need no room', async () => {
    const { rootId, leases } = await siblings(3);
    await setAccount(rootId, 10);
    const [first, second, third] = leases as [Lease, Lease, Lease];
    expect(
      kinds(await atOnce([first, aStep({ reserveNanoUsd: 6n })], [second, aStep({ reserveNanoUsd: 4n })])),
    ).toEqual(['committed', 'committed']);
    expect(await account(rootId)).toEqual({ reserved: 10, spent: 0 });
    const results = await atOnce([first, aStep({ reserveNanoUsd: 6n })], [second, aStep()], [third, aStep()]);
    expect(kinds(results)).toEqual(['over_budget', 'committed', 'committed']);
    expect(statements).toEqual([SHARED, SHARED, ALONE]);
  });

  it('are stored when the server refuses a value of one of them', async () => {
    const leases = await running(3);
    const [before, bad, after] = leases as [Lease, Lease, Lease];
    const twice = aTurn({ messages: [aMessage({ seq: 1 })] });
    const results = await Promise.allSettled([
      store.commit(before, aTurn()),
      store.commit(bad, twice),
      store.commit(after, aTurn()),
    ]);
    expect(results).toMatchObject([
      { value: { kind: 'committed' } },
      { reason: { code: '23505' } },
      { value: { kind: 'committed' } },
    ]);
    expect(await counts(leases)).toEqual([2, 1, 2]);
  });

  /** Work while somebody else's transaction holds something. */
  async function whileHeld<T>(
    sql: string,
    values: unknown[],
    work: (client: PoolClient) => Promise<T>,
  ): Promise<T> {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(sql, values);
      return await work(client);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  }

  it.each([
    ['its row', 'SELECT FROM tasks WHERE id = $1 FOR UPDATE'],
    ['its account', 'SELECT FROM budget_accounts WHERE root_id = $1 FOR UPDATE'],
  ])('do not wait for one of them when somebody holds %s', async (_what, sql) => {
    const [before, held, after] = (await running(3)) as [Lease, Lease, Lease];
    let last: Promise<CommitResult> | undefined;
    await whileHeld(sql, [held.taskId], async () => {
      last = store.commit(held, aTurn());
      expect(kinds(await atOnce([before, aTurn()], [after, aTurn()]))).toEqual(['committed', 'committed']);
      expect(await counts([before, held, after])).toEqual([2, 1, 2]);
    });
    expect((await last)?.kind).toBe('committed');
    expect(statements).toEqual([SHARED, ALONE]);
  });

  it('wait for nobody who goes alone and waits for a row', async () => {
    const leases = await running(4);
    const [free, ...held] = leases as [Lease, ...Lease[]];
    let waiting: Promise<CommitResult>[] = [];
    await whileHeld(
      'SELECT FROM tasks WHERE id = ANY ($1) FOR UPDATE',
      [held.map(({ taskId }) => taskId)],
      async () => {
        for (const lease of held) {
          waiting = [...waiting, store.commit(lease, aTurn())];
          await waitFor(() => statements.length === waiting.length, { what: 'each to be asked for alone' });
        }
        expect(kinds(await atOnce([free, aTurn()]))).toEqual(['committed']);
        expect(await counts(leases)).toEqual([2, 1, 1, 1]);
      },
    );
    expect(kinds(await Promise.all(waiting))).toEqual(['committed', 'committed', 'committed']);
    expect(statements).toEqual([ALONE, ALONE, ALONE, ALONE]);
  });

  it('are judged by their rows as they are when these are locked', async () => {
    const leases = await running(5);
    const [, written, spent, taken, poor] = leases as [Lease, Lease, Lease, Lease, Lease];
    isGated = true;
    let commits: Promise<CommitResult[]> = Promise.resolve([]);
    await whileHeld(GATE, [], async (client) => {
      commits = atOnce(...leases.map((lease) => [lease, aTurn({ reserveNanoUsd: 5n })] as const));
      await waitFor(
        async () =>
          (await client.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)).rowCount,
        { what: 'the batch to have looked' },
      );
      await pool.query('UPDATE tasks SET priority = priority + 1 WHERE id = $1', [written.taskId]);
      await pool.query('UPDATE budget_accounts SET spent_nano_usd = 10 WHERE root_id = $1', [spent.taskId]);
      await pool.query('UPDATE tasks SET epoch = epoch + 1 WHERE id = $1', [taken.taskId]);
      await setAccount(poor.taskId, 4);
    });
    expect(kinds(await commits)).toEqual(['committed', 'committed', 'committed', 'fenced', 'over_budget']);
    expect(await counts(leases)).toEqual([2, 2, 2, 1, 1]);
    expect(await account(spent.taskId)).toEqual({ reserved: 5, spent: 13 });
    expect(await account(written.taskId)).toEqual({ reserved: 5, spent: 3 });
  });

  it('of a stale run and of its successor do not mix', async () => {
    const [stale, neighbour] = (await running(2)) as [Lease, Lease];
    await pool.query(`UPDATE tasks SET epoch = epoch + 1 WHERE id = $1`, [stale.taskId]);
    const successor = { ...stale, epoch: stale.epoch + 1 };
    const [ofStale, ofSuccessor] = [aTurn(), aTurn({ reserveNanoUsd: 5n })];
    const results = await atOnce([stale, ofStale], [successor, ofSuccessor], [neighbour, aTurn()]);
    expect(kinds(results)).toEqual(['fenced', 'committed', 'committed']);
    const { rows } = await pool.query<{ id: string }>(
      `SELECT id FROM api_messages WHERE task_id = $1 AND seq > 1
       UNION ALL SELECT id FROM tool_calls WHERE task_id = $1 UNION ALL SELECT id FROM model_calls WHERE task_id = $1`,
      [stale.taskId],
    );
    const { messages, toolCalls, modelCalls } = ofSuccessor;
    expect(rows).toEqual([...messages, ...toolCalls, ...modelCalls].map(({ id }) => ({ id })));
    expect(await account(stale.taskId)).toEqual({ reserved: 5, spent: 3 });
  });

  it('of one run that are asked for twice at once are charged and stored once each', async () => {
    const [lease, neighbour] = (await running(2)) as [Lease, Lease];
    const step = (seq: number) => aStep({ messages: [aMessage({ seq })], reserveNanoUsd: 5n });
    const results = await atOnce([lease, step(2)], [lease, step(3)], [neighbour, step(2)]);
    expect(kinds(results)).toEqual(['committed', 'committed', 'committed']);
    expect(await counts([lease])).toEqual([3]);
    expect(await account(lease.taskId)).toEqual({ reserved: 10, spent: 0 });
  });

  it('all break off when the connection is lost, and none is asked for again', async () => {
    const leases = await running(3);
    const results = await whileHeld('LOCK TABLE ui_events IN EXCLUSIVE MODE', [], async () => {
      const commits = Promise.allSettled(leases.map((lease) => store.commit(lease, aTurn())));
      await waitFor(
        async () => {
          const { rows } = await pool.query<{ killed: boolean }>(
            `SELECT pg_terminate_backend(pid) AS killed FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return rows[0]?.killed;
        },
        { what: 'the batch to wait' },
      );
      return commits;
    });
    expect(results.map((result) => result.status === 'rejected' && store.mayPass(result.reason))).toEqual([
      true,
      true,
      true,
    ]);
    expect(statements).toEqual([SHARED]);
    expect(await counts(leases)).toEqual([1, 1, 1]);
  });

  it('with a large row go alone, and keep no other waiting', async () => {
    const leases = await running(3);
    const [large, ...small] = leases as [Lease, ...Lease[]];
    const content = randomUUID().repeat(3_000);
    await atOnce(
      [large, aTurn({ messages: [aMessage({ seq: 2, role: 'assistant', content })] })],
      ...small.map((lease) => [lease, aTurn()] as const),
    );
    expect(statements.sort()).toEqual([ALONE, SHARED]);
    expect(await counts(leases)).toEqual([2, 2, 2]);
  });

  it('of one tree in two processes leave no money behind and none out', async () => {
    const { rootId, leases } = await siblings(8);
    const other = new PostgresTaskStore({ pool, leaseMs: 15_000, newId });
    const steps = 12;
    await Promise.all(
      leases.map(async (lease, at) => {
        const own = at % 2 === 0 ? store : other;
        for (let seq = 2; seq < steps + 2; seq += 1) {
          const messages = [aMessage({ seq })];
          const result = await own.commit(lease, aStep({ messages, reserveNanoUsd: 2n, releaseNanoUsd: 1n }));
          expect(result.kind).toBe('committed');
        }
      }),
    );
    expect(await account(rootId)).toEqual({ reserved: leases.length * steps, spent: 0 });
    expect(new Set(await counts(leases))).toEqual(new Set([steps + 1]));
  });
});
