import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommitResult, Lease, Step, WaitSpec } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import type { PostgresTaskStore } from '@bullpen/store';
import { aMessage, aModelCall, aNewChild, aStep, aUsage, waitFor } from '@bullpen/testing';
import type { Duplex } from 'node:stream';
import type { Pool, PoolClient } from 'pg';
import { StoreWorld } from '../../test/store-world.js';

/** Ends of several tasks, asked for at the same moment. What becomes of each must not depend on the others, and each parent hears of its own. */
describe('ends that share a commit', () => {
  let world: StoreWorld;
  let pool: Pool;
  let store: PostgresTaskStore;
  beforeAll(async () => {
    world = await StoreWorld.open();
    ({ pool, store } = world);
  });
  beforeEach(() => {
    world.effects = [];
  });
  afterAll(async () => {
    const broken = await world.broken();
    await world.close();
    // Here money is spent without a call that it is for.
    expect(broken.filter(({ id }) => id !== 'I4')).toEqual([]);
  });

  const anEnd = (more: Partial<Step> = {}, state: 'completed' | 'failed' = 'completed'): Step =>
    aStep({
      messages: [aMessage({ seq: 2, turn: 1, role: 'assistant', content: 'Done.' })],
      end: {
        kind: 'finish',
        outcome: {
          ...{ state, output: state === 'completed' ? 'Done.' : null, partial: false },
          cause: state === 'completed' ? 'goal' : 'error',
          failure: state === 'completed' ? null : { cause: 'error', code: 'internal_error', message: 'No.' },
        },
      },
      ...more,
    });
  const atOnce = (leases: readonly Lease[], step: (at: number) => Step = () => anEnd()) =>
    Promise.all(leases.map((lease, at) => store.commit(lease, step(at))));
  const kinds = (results: readonly CommitResult[]) => results.map(({ kind }) => kind);

  async function loaded(id: string): Promise<Lease> {
    const lease = await world.claim(id);
    await store.load(lease);
    return lease;
  }

  /** A parent and its children, which all run. */
  async function family(count: number): Promise<{ parent: Lease; children: Lease[] }> {
    const parent = await loaded(await world.create());
    const born = Array.from({ length: count }, () => aNewChild());
    await store.commit(parent, aStep({ children: born }));
    return { parent, children: await Promise.all(born.map(({ id }) => loaded(id))) };
  }

  /** The same, and the parent waits for them. */
  async function waiting(count: number, mode: WaitSpec['mode'] = 'all') {
    const { parent, children } = await family(count);
    const wait: WaitSpec = {
      ...{ reason: 'children', mode, dueInMs: null },
      childIds: children.map(({ taskId }) => taskId),
    };
    await store.commit(parent, aStep({ end: { kind: 'suspend', wait, waitId: newId('wait') } }));
    world.effects = [];
    return { parent, children };
  }

  const stateOf = async ({ taskId }: Lease) => {
    const { rows } = await pool.query<{ state: string; wake: number; dispatches: number }>(
      `SELECT state, wake, (SELECT count(*)::int FROM dispatches d WHERE d.task_id = t.id) AS dispatches FROM tasks t WHERE id = $1`,
      [taskId],
    );
    return rows[0];
  };
  /** Whose ends a parent was told of, in order; its events have no gap. */
  const toldOf = async ({ taskId }: Lease): Promise<string[]> => {
    const { rows } = await pool.query<{ seq: number; child: string | null }>(
      `SELECT seq, CASE WHEN type = 'subtask.ended' THEN data ->> 'taskId' END AS child FROM ui_events WHERE task_id = $1 ORDER BY seq`,
      [taskId],
    );
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1));
    return rows.flatMap(({ child }) => child ?? []);
  };
  const ids = (leases: readonly Lease[]) => leases.map(({ taskId }) => taskId).sort();
  /** How many transactions ended these tasks. */
  const transactions = async (leases: readonly Lease[]) => {
    const { rows } = await pool.query<{ count: number }>(
      'SELECT count(DISTINCT ended_at)::int AS count FROM tasks WHERE id = ANY ($1)',
      [ids(leases)],
    );
    return rows[0]?.count;
  };

  it('wake their parent once, and tell it of each of them', async () => {
    const { parent, children } = await waiting(20);
    expect(new Set(kinds(await atOnce(children)))).toEqual(new Set(['committed']));
    expect(await transactions(children)).toBe(1);
    expect(await stateOf(parent)).toEqual({ state: 'queued', wake: 2, dispatches: 1 });
    expect((await toldOf(parent)).sort()).toEqual(ids(children));
    const wakes = world.effects.flatMap((effects) => effects.wakes);
    expect(wakes).toEqual([{ taskId: parent.taskId, wake: 2 }]);
    const { rows } = await pool.query('SELECT open_edges FROM waits WHERE task_id = $1', [parent.taskId]);
    expect(rows).toEqual([{ open_edges: 0 }]);
  });

  it('of several families and of tasks without a parent go together, and each family has its own wake', async () => {
    const [one, other] = [await waiting(3), await waiting(2)];
    const alone = await loaded(await world.create());
    const all = [...one.children, alone, ...other.children];
    await atOnce(all);
    expect(await transactions(all)).toBe(1);
    for (const { parent, children } of [one, other]) {
      expect(await stateOf(parent)).toMatchObject({ state: 'queued', wake: 2 });
      expect((await toldOf(parent)).sort()).toEqual(ids(children));
    }
    expect(await stateOf(alone)).toMatchObject({ state: 'completed', dispatches: 0 });
  });

  it.each([
    ['all', 3, 'failed', 'waiting'],
    ['any', 1, 'failed', 'queued'],
    ['first_success', 3, 'failed', 'waiting'],
    ['first_success', 3, 'completed', 'queued'],
    ['first_success', 4, 'failed', 'queued'],
  ] as const)(
    'are what a wait for %s of four waits for: %i at once, one of them %s, leave the parent %s',
    async (mode, count, first, state) => {
      const { parent, children } = await waiting(4, mode);
      await atOnce(children.slice(0, count), (at) => anEnd({}, at === 0 ? first : 'failed'));
      expect(await stateOf(parent)).toMatchObject({ state, wake: state === 'queued' ? 2 : 1 });
      await atOnce(children.slice(count));
      expect(await stateOf(parent)).toMatchObject({ state: 'queued', wake: 2, dispatches: 1 });
      expect((await toldOf(parent)).sort()).toEqual(ids(children));
    },
  );

  it('lose nothing to a stale run, and its parent does not hear of it', async () => {
    const { parent, children } = await waiting(3);
    const [stale] = children as [Lease];
    await pool.query('UPDATE tasks SET epoch = epoch + 1 WHERE id = $1', [stale.taskId]);
    expect(kinds(await atOnce(children))).toEqual(['fenced', 'committed', 'committed']);
    expect(await toldOf(parent)).not.toContain(stale.taskId);
    expect(await stateOf(parent)).toMatchObject({ state: 'waiting' });
    // Nor a second time of one that has ended before.
    expect(kinds(await atOnce(children.slice(1)))).toEqual(['fenced', 'fenced']);
    expect(await toldOf(parent)).toHaveLength(2);
    await store.commit({ ...stale, epoch: stale.epoch + 1 }, anEnd());
    expect(await stateOf(parent)).toMatchObject({ state: 'queued', wake: 2 });
  });

  it('leave a task running that has a message to read, and only that', async () => {
    const { parent, children } = await waiting(3);
    const [, listener] = children as [Lease, Lease];
    const message = { id: newId('inbox'), text: 'One more thing.', source: 'steering' as const };
    await world.commands.sendMessage('default', listener.taskId, message);
    expect(kinds(await atOnce(children))).toEqual(['committed', 'inbox_pending', 'committed']);
    expect(await stateOf(listener)).toMatchObject({ state: 'running' });
    expect(await stateOf(parent)).toMatchObject({ state: 'waiting' });
    await store.commit(listener, anEnd({ consumedInbox: [message.id] }));
    expect(await stateOf(parent)).toMatchObject({ state: 'queued', wake: 2 });
  });

  it('lose nothing to one whose rows the server refuses', async () => {
    const { parent, children } = await waiting(3);
    const twice = aMessage({ seq: 2, turn: 1, role: 'assistant', content: 'Done.' });
    const results = await Promise.allSettled(
      children.map((lease, at) =>
        store.commit(lease, at === 1 ? anEnd({ messages: [twice, { ...twice, seq: 3 }] }) : anEnd()),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await stateOf(children[1] as Lease)).toMatchObject({ state: 'running' });
    expect(await toldOf(parent)).toHaveLength(2);
    await store.commit(children[1] as Lease, anEnd());
    expect(await stateOf(parent)).toMatchObject({ state: 'queued', wake: 2 });
  });

  it('pay what each has spent, and give back what each had reserved', async () => {
    const { parent, children } = await family(4);
    await atOnce(children, () => aStep({ reserveNanoUsd: 10n, modelCalls: [aModelCall()] }));
    await atOnce(children, () => {
      const call = aModelCall({ status: 'done', endedAt: new Date() });
      const usage = [aUsage({ modelCallId: call.id, costNanoUsd: 3n })];
      return anEnd({ releaseNanoUsd: 10n, modelCalls: [call], usage });
    });
    const { rows } = await pool.query(
      'SELECT reserved_nano_usd::int AS reserved, spent_nano_usd::int AS spent FROM budget_accounts WHERE root_id = $1',
      [parent.taskId],
    );
    expect(rows).toEqual([{ reserved: 0, spent: 12 }]);
  });

  it('wait for whoever holds the row of a parent, and are stored then', async () => {
    const { parent, children } = await waiting(3);
    const other = await waiting(1);
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM tasks WHERE id = $1 FOR UPDATE', [parent.taskId]);
    const ends = atOnce([...children, ...other.children]);
    // Nobody else's end waits for longer than the patience of a batch.
    await waitFor(async () => (await stateOf(other.parent))?.state === 'queued', {
      what: 'the other family',
    });
    expect(await stateOf(children[0] as Lease)).toMatchObject({ state: 'running' });
    await client.query('COMMIT');
    client.release();
    expect(new Set(kinds(await ends))).toEqual(new Set(['committed']));
    expect(await stateOf(parent)).toMatchObject({ state: 'queued', wake: 2, dispatches: 1 });
    expect((await toldOf(parent)).sort()).toEqual(ids(children));
  });

  it('and the end or the cancel of their parent at the same moment leave nothing open', async () => {
    for (const round of Array.from({ length: 6 }, (_, at) => at)) {
      const { parent, children } = await family(6);
      const stop =
        round % 2 === 0
          ? store.commit(parent, anEnd())
          : world.commands.cancel('default', parent.taskId, null).then(() => store.commit(parent, anEnd()));
      const ends = await Promise.all([stop, ...children.map((lease) => store.commit(lease, anEnd()))]);
      expect(kinds(ends)).toEqual(ends.map(() => 'committed'));
      for (const one of [parent, ...children])
        expect(await stateOf(one)).toMatchObject({ state: 'completed', dispatches: 0 });
    }
  });

  it('and a parent that goes to wait at the same moment miss nothing', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { parent, children } = await family(5);
      const wait: WaitSpec = {
        ...{ reason: 'children', mode: 'all', dueInMs: null },
        childIds: children.map(({ taskId }) => taskId),
      };
      const end = { kind: 'suspend' as const, wait, waitId: newId('wait') };
      const [suspended] = await Promise.all([store.commit(parent, aStep({ end })), atOnce(children)]);
      const state = suspended.kind === 'committed' ? 'queued' : 'running';
      expect(await stateOf(parent)).toMatchObject({ state });
      expect((await toldOf(parent)).sort()).toEqual(ids(children));
    }
  });

  it('fail together when the connection is lost, and nothing of them is tried again', async () => {
    const { parent, children } = await waiting(3);
    // All but the commit arrives.
    const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
    const losing = async () => {
      Object.assign(pool, { connect });
      const client = await connect();
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
      const cut = (...args: unknown[]) => {
        if (args[0] === 'COMMIT') stream.destroy();
        return query(...args);
      };
      return Object.assign(client, { query: cut });
    };
    Object.assign(pool, { connect: losing });
    const ends = await Promise.allSettled(children.map((lease) => store.commit(lease, anEnd())));
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await stateOf(parent)).toMatchObject({ state: 'waiting' });
    expect(await toldOf(parent)).toEqual([]);
    for (const lease of children) expect(await stateOf(lease)).toMatchObject({ state: 'running' });
    await atOnce(children);
    expect(await stateOf(parent)).toMatchObject({ state: 'queued', wake: 2 });
  });
});
