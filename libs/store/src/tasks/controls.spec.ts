import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { builtInProfile, emptyStep, LEGAL_MOVES, type Lease } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import type { PostgresTaskStore, StoreReconciler, TaskCommands } from '@bullpen/store';
import { renewLeases } from '../leases/workers.js';
import { aDefinition, aModelCall } from '@bullpen/testing';
import type { AgentDefinition, TaskState } from '@bullpen/contracts';
import type { Pool } from 'pg';
import { StoreWorld } from '../../test/store-world.js';

const GOAL = { state: 'completed', cause: 'goal', output: 1, partial: false, failure: null } as const;

describe('control over tasks', () => {
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
  afterAll(async () => {
    const found = [await world.broken(), await illegalMoves()];
    await world.close();
    expect(found).toEqual([[], []]);
  });

  /** Every change of state that was told, held against the table of legal moves. */
  async function illegalMoves(): Promise<string[]> {
    const { rows } = await pool.query<{ from: TaskState; to: TaskState }>(
      `SELECT DISTINCT data ->> 'from' AS from, data ->> 'to' AS to FROM ui_events WHERE type = 'task.status_changed'`,
    );
    return rows
      .filter(({ from, to }) => !LEGAL_MOVES[from].includes(to))
      .map(({ from, to }) => `${from} ${to}`);
  }

  const same = (definition: AgentDefinition) => definition;
  const create = (deadlineAt: Date | null = null) => world.create({ deadlineAt });
  const claim = (id: string, wake?: number) => world.claim(id, wake);
  const finish = (lease: Lease) =>
    store.commit(lease, { ...emptyStep(), end: { kind: 'finish', outcome: GOAL } });
  const spawn = async (parent: Lease, count = 1): Promise<string[]> => {
    const children = Array.from({ length: count }, () => ({
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
  const suspend = (lease: Lease, childIds: string[], dueInMs: number | null = null) => {
    const wait = { reason: 'children', mode: 'all', childIds, dueInMs } as const;
    return store.commit(lease, { ...emptyStep(), end: { kind: 'suspend', waitId: newId('wait'), wait } });
  };
  const states = async (...ids: string[]) => {
    const { rows } = await pool.query<{ id: string; state: string }>(
      'SELECT id, state FROM tasks WHERE id = ANY ($1)',
      [ids],
    );
    return ids.map((id) => rows.find((row) => row.id === id)?.state);
  };
  const wakeOf = async (id: string) =>
    (await pool.query<{ wake: number }>('SELECT wake FROM tasks WHERE id = $1', [id])).rows[0]?.wake ?? 0;
  const rowOf = async (id: string) =>
    (await pool.query<Record<string, unknown>>('SELECT * FROM tasks WHERE id = $1', [id])).rows[0] ?? {};
  const told = (kind: 'wakes' | 'cancels') => world.effects.flatMap((committed) => [...committed[kind]]);

  it('pauses and resumes a whole tree: what waited waits, what was queued is queued, what ran goes on', async () => {
    const root = await create();
    const parent = await claim(root);
    const [running, queued, done] = await spawn(parent, 3);
    const own = await claim(running ?? '');
    await finish(await claim(done ?? ''));
    await suspend(parent, [running ?? '', queued ?? '', done ?? '']);

    expect(await commands.pause('default', root, false)).toBe('paused');
    const tree = [root, running, queued, done].map(String);
    expect(await states(...tree)).toEqual(['paused', 'running', 'paused', 'completed']);
    expect(told('cancels')).toEqual([]);
    expect(await store.commit(own, { ...emptyStep(), end: { kind: 'pause' } })).toMatchObject({
      kind: 'committed',
    });
    expect(await commands.pause('default', root, false)).toBe('paused');

    world.effects = [];
    expect(await commands.resume('default', root)).toBe('resumed');
    expect(await states(...tree)).toEqual(['waiting', 'queued', 'queued', 'completed']);
    expect(told('wakes')).toHaveLength(2);
    expect(await commands.resume('default', root)).toBe('not_paused');
    for (const id of [running, queued].map(String)) await finish(await claim(id, await wakeOf(id)));
    expect(await states(root)).toEqual(['queued']);
    await finish(await claim(root, await wakeOf(root)));
  });

  it('pauses at once when asked to: the worker is told to look, and its lease says that a stop was requested', async () => {
    const root = await create();
    const lease = await claim(root);
    const held = () => renewLeases(pool, 'worker_a', 15_000, [lease]);
    expect((await held())[0]?.stopRequested).toBe(false);
    expect(await commands.pause('default', root, true)).toBe('requested');
    expect(told('cancels')).toMatchObject([{ rootId: root }]);
    expect((await held())[0]?.stopRequested).toBe(true);
    await store.commit(lease, { ...emptyStep(), end: { kind: 'pause' } });
    await commands.resume('default', root);
    // Interrupted before this lease: its run takes that from the row, and need not be stopped for it.
    const next = await claim(root, await wakeOf(root));
    expect((await store.load(next))?.task.interrupted).toBe(true);
    await pool.query(`UPDATE tasks SET leased_at = leased_at + interval '1 second' WHERE id = $1`, [root]);
    expect((await renewLeases(pool, 'worker_a', 15_000, [next]))[0]?.stopRequested).toBe(false);
    await finish(next);
  });

  it('forgets a pause that was asked of a lost worker when the task is resumed before another one has it', async () => {
    const [early, late] = [await create(), await create()];
    for (const id of [early, late]) {
      await claim(id);
      await commands.pause('default', id, false);
      await pool.query(`UPDATE tasks SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    }
    await reconciler.expireLeases();
    expect(await states(early, late)).toEqual(['queued', 'queued']);
    // Once more, now that nobody runs it.
    await commands.pause('default', late, false);
    for (const id of [early, late]) await commands.resume('default', id);
    for (const id of [early, late]) {
      expect(await rowOf(id)).toMatchObject({ state: 'queued', pause_requested_at: null });
      await finish(await claim(id, await wakeOf(id)));
    }
    expect(await states(early, late)).toEqual(['completed', 'completed']);
  });

  it('races a pause safely with a claim, an end, a spawn and a cancel', async () => {
    for (let round = 0; round < 10; round += 1) {
      const root = await create();
      const lease = await claim(root);
      const [child = ''] = await spawn(lease);
      await Promise.all([
        commands.pause('default', root, round % 2 === 0),
        store.claim(child, 1, 'worker_b'),
        round % 3 === 0 ? commands.cancel('default', root, null) : spawn(lease, 2),
        round % 3 === 1 ? finish(lease) : suspend(lease, [child]),
      ]);
      await commands.cancel('default', root, null);
      const { rows } = await pool.query<Lease & { taskId: string }>(
        `SELECT id AS "taskId", epoch, worker_id AS "workerId" FROM tasks WHERE root_id = $1 AND state = 'running'`,
        [root],
      );
      const cancelled = {
        state: 'cancelled',
        cause: 'cancelled',
        output: null,
        partial: false,
        failure: null,
      } as const;
      for (const running of rows)
        await store.commit(running, { ...emptyStep(), end: { kind: 'finish', outcome: cancelled } });
      const left = await pool.query(`SELECT id FROM tasks WHERE root_id = $1 AND ended_at IS NULL`, [root]);
      expect(left.rows).toEqual([]);
    }
  });

  it('says what cannot be controlled: tasks of others, tasks that have ended', async () => {
    const root = await create();
    expect(await commands.pause('other', root, false)).toBe('not_found');
    await finish(await claim(root));
    expect(await commands.pause('default', root, false)).toBe('already_ended');
    expect(await commands.resume('default', root)).toBe('already_ended');
    expect(await commands.interrupt('default', root, { id: newId('inbox'), text: 'x' })).toBe(
      'already_ended',
    );
    expect(await commands.update('default', root, { title: 'x' }, same)).toBe('already_ended');
  });

  it('cancels and expires paused tasks like others', async () => {
    const root = await create();
    await commands.pause('default', root, false);
    expect(await commands.cancel('default', root, null)).toBe('cancelled');
    const lost = await create();
    await claim(lost);
    await commands.pause('default', lost, false);
    await pool.query(`UPDATE tasks SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [lost]);
    expect(await reconciler.expireLeases()).toBe(1);
    const again = await claim(lost, await wakeOf(lost));
    expect(await store.commit(again, emptyStep())).toMatchObject({ pauseRequested: true });
    await store.commit(again, { ...emptyStep(), end: { kind: 'pause' } });
    expect(await states(lost)).toEqual(['paused']);
  });

  it('leaves a message with a paused task that is interrupted, for when it is resumed', async () => {
    const root = await create();
    await commands.pause('default', root, false);
    const message = { id: newId('inbox'), text: 'Later.' };
    expect(await commands.interrupt('default', root, message)).toBe('paused');
    expect(await states(root)).toEqual(['paused']);
    await commands.resume('default', root);
    expect(await store.takeInbox(await claim(root, await wakeOf(root)))).toMatchObject([message]);
  });

  it('changes what is given, and the order in the queue with it', async () => {
    const root = await create();
    const deadlineAt = '2030-01-01T00:00:00.000Z';
    expect(await commands.update('default', root, { title: 'New', priority: 7, deadlineAt }, same)).toBe(
      'updated',
    );
    expect(await rowOf(root)).toMatchObject({
      title: 'New',
      priority: 7,
      tags: [],
      deadline_at: new Date(deadlineAt),
    });
    const { rows } = await pool.query('SELECT priority FROM dispatches WHERE task_id = $1', [root]);
    expect(rows).toEqual([{ priority: 7 }]);
    await commands.update('default', root, { deadlineAt: null }, same);
    expect(await rowOf(root)).toMatchObject({ title: 'New', deadline_at: null });
  });

  it('switches the profile at once and for good: a run learns it with its next step, and what it decided meanwhile does not count', async () => {
    const root = await create();
    const lease = await claim(root);
    const small = builtInProfile('claude-haiku-4-5');
    const to = (profiles: readonly (typeof small)[]) => (definition: AgentDefinition) => ({
      ...definition,
      ...{ model: small.model, profile: null, profiles: [...profiles] },
    });
    expect(await commands.update('default', root, { profile: 'claude-haiku-4-5' }, to([small]))).toBe(
      'updated',
    );
    const late = {
      version: 1,
      profiles: [builtInProfile('claude-opus-5-5')],
      active: 0,
      since: 9,
      until: null,
    };
    const result = await store.commit(lease, { ...emptyStep(), patch: { route: late } });
    const route = { version: 1, profiles: [small], active: 0, since: 2, until: null };
    expect(result).toMatchObject({ kind: 'committed', route });
    expect((await store.load(lease))?.task).toMatchObject({
      route,
      definition: { model: small.model, profiles: [small] },
    });
    expect(await rowOf(root)).toMatchObject({ model: 'claude-haiku-4-5' });

    const next = { ...route, version: 2, active: 0, until: '2030-01-01T00:00:00.000Z' };
    expect(await store.commit(lease, { ...emptyStep(), patch: { route: next } })).toMatchObject({
      route: next,
    });
    const { rows } = await pool.query(
      "SELECT data FROM ui_events WHERE task_id = $1 AND type = 'task.updated'",
      [root],
    );
    expect(rows).toEqual([{ data: { changes: { profile: 'claude-haiku-4-5' } } }]);
  });

  it('leaves everything as it was when the profile cannot be had', async () => {
    const root = await create();
    const refuse = () => {
      throw new Error('no such profile');
    };
    await expect(commands.update('default', root, { title: 'New', profile: 'x' }, refuse)).rejects.toThrow(
      'no such',
    );
    expect(await rowOf(root)).toMatchObject({ route: null });
    expect((await rowOf(root))?.['title']).not.toBe('New');
  });

  it('ends at its deadline what never began or is paused, with its subtasks, and wakes the parent', async () => {
    const past = new Date(Date.now() - 1_000);
    const never = await create(past);
    const paused = await create();
    await commands.pause('default', paused, false);
    await commands.update('default', paused, { deadlineAt: past.toISOString() }, same);
    const root = await create();
    const parent = await claim(root);
    const [child = ''] = await spawn(parent);
    await suspend(parent, [child]);
    await pool.query('UPDATE tasks SET deadline_at = $2 WHERE id = $1', [child, past]);

    await reconciler.endOverdue();
    expect(await states(never, paused, child, root)).toEqual(['failed', 'failed', 'failed', 'queued']);
    expect(await rowOf(never)).toMatchObject({ stop_cause: 'deadline', failure: { code: 'deadline' } });
    const { rows } = await pool.query(`SELECT outcome FROM attempts WHERE task_id = $1`, [never]);
    expect(rows).toEqual([{ outcome: 'deadline' }]);
    await finish(await claim(root, 2));
  });

  it('tells at its deadline what runs or waits to sum up, once, and ends what nobody took on', async () => {
    const root = await create();
    const lease = await claim(root);
    const call = aModelCall({ status: 'started', reservedNanoUsd: 5n });
    await store.commit(lease, { ...emptyStep(), modelCalls: [call], reserveNanoUsd: 5n });
    await pool.query(`UPDATE tasks SET deadline_at = now() - interval '1 second' WHERE id = $1`, [root]);
    await reconciler.endOverdue();
    expect(await states(root)).toEqual(['running']);
    expect(told('cancels')).toHaveLength(1);
    world.effects = [];
    await reconciler.endOverdue();
    expect(world.effects).toEqual([]);
    await store.commit(lease, { ...emptyStep(), end: { kind: 'yield' } });
    await reconciler.endOverdue();
    expect(await states(root)).toEqual(['queued']);
    await pool.query(`UPDATE tasks SET deadline_at = now() - interval '2 minutes' WHERE id = $1`, [root]);
    await reconciler.endOverdue();
    expect(await states(root)).toEqual(['failed']);
    const account = await pool.query('SELECT reserved_nano_usd FROM budget_accounts WHERE root_id = $1', [
      root,
    ]);
    expect(account.rows).toEqual([{ reserved_nano_usd: 0n }]);

    const waiting = await create();
    await suspend(await claim(waiting), [], 60_000);
    await pool.query(`UPDATE tasks SET deadline_at = now() - interval '1 second' WHERE id = $1`, [waiting]);
    await reconciler.endOverdue();
    expect(await states(waiting)).toEqual(['queued']);
    await finish(await claim(waiting, 2));
  });

  it('withdraws what a task had asked that ends at its deadline, and tells of it', async () => {
    const id = await create();
    await suspend(await claim(id), [], 60_000);
    await commands.pause('default', id, false);
    await pool.query(
      `INSERT INTO interactions (id, task_id, root_id, tenant_id, kind, payload) VALUES ('ask_1', $1, $1, 'default', 'question', '{}')`,
      [id],
    );
    await pool.query(`UPDATE tasks SET deadline_at = now() - interval '1 second' WHERE id = $1`, [id]);
    await reconciler.endOverdue();
    expect(await states(id)).toEqual(['failed']);
    const { rows } = await pool.query<{ type: string }>(
      'SELECT type FROM ui_events WHERE task_id = $1 ORDER BY seq DESC LIMIT 3',
      [id],
    );
    expect(rows.map(({ type }) => type)).toEqual([
      'task.status_changed',
      'attempt.ended',
      'interaction.closed',
    ]);
  });
});
