/** Repairs that walk find everything in bounded time, and ended waits leave nothing behind that would be looked at forever. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emptyStep, type Lease, type WaitSpec } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { StoreReconciler } from '@bullpen/store';
import { aNewChild } from '@bullpen/testing';
import { StoreWorld } from '../../test/store-world.js';

const SLICE = 3;

let world: StoreWorld;
let reconciler: StoreReconciler;

beforeAll(async () => {
  world = await StoreWorld.open();
});
beforeEach(async () => {
  await world.pool.query('TRUNCATE tasks, dispatches CASCADE');
  world.effects = [];
  const onCommitted = (effects: StoreWorld['effects'][number]) => void world.effects.push(effects);
  reconciler = new StoreReconciler({ pool: world.pool, onCommitted, slice: SLICE });
});
afterAll(() => world.close());

const suspend = (lease: Lease, wait: Partial<WaitSpec>) =>
  world.store.commit(lease, {
    ...emptyStep(),
    end: {
      kind: 'suspend',
      waitId: newId('wait'),
      wait: { reason: 'children', mode: 'all', childIds: [], dueInMs: null, ...wait },
    },
  });
/** A task that waits for one child. */
async function parent(): Promise<{ id: string; child: string }> {
  const lease = await world.running();
  const child = aNewChild();
  await world.store.commit(lease, { ...emptyStep(), children: [child] });
  await suspend(lease, { childIds: [child.id] });
  return { id: lease.taskId, child: child.id };
}
const several = async <T>(make: () => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  for (let n = 0; n < 3 * SLICE; n += 1) made.push(await make());
  return made;
};
const stateOf = async (id: string) =>
  (await world.pool.query<{ state: string }>('SELECT state FROM tasks WHERE id = $1', [id])).rows[0]?.state;
const openWaits = async () =>
  (await world.pool.query(`SELECT id FROM waits WHERE satisfied_at IS NULL`)).rows.length;
const openEdges = async () =>
  (await world.pool.query(`SELECT child_id FROM wait_edges WHERE closed_at IS NULL`)).rows.length;
/** What each of so many steps found, and what one more walk finds. */
async function walk(step: () => Promise<number>, steps: number): Promise<{ found: number; again: number }> {
  const round = async () => {
    let sum = 0;
    for (let n = 0; n < steps; n += 1) sum += await step();
    return sum;
  };
  return { found: await round(), again: await round() };
}

describe('a repair that walks', () => {
  it('comes past every queued task in as many steps as there are slices, and starts again', async () => {
    const ids = await several(() => world.create());
    for (const id of [ids.at(0), ids.at(-1)]) {
      await world.pool.query('DELETE FROM dispatches WHERE task_id = $1', [id]);
      await world.pool.query(`UPDATE tasks SET updated_at = now() - interval '1 minute' WHERE id = $1`, [id]);
    }
    expect(await walk(() => reconciler.healDispatches(), 4)).toEqual({ found: 2, again: 0 });
    await world.pool.query('DELETE FROM dispatches');
    await world.pool.query(`UPDATE tasks SET updated_at = now() - interval '1 minute'`);
    expect(await walk(() => reconciler.healDispatches(), 4)).toEqual({ found: ids.length, again: 0 });
  });

  it('finds the tasks that still wait although their wait is over, and wakes them', async () => {
    const ids = await several(async () => {
      const lease = await world.running();
      await suspend(lease, { reason: 'backoff', dueInMs: 3_600_000 });
      return lease.taskId;
    });
    const lost = [ids[0], ids[4], ids[8]].map(String);
    await world.pool.query('UPDATE waits SET satisfied_at = now() WHERE task_id = ANY ($1)', [lost]);
    world.effects = [];
    expect(await walk(() => reconciler.healWakes(), 4)).toEqual({ found: 3, again: 0 });
    expect(world.effects.flatMap(({ wakes }) => wakes.map(({ taskId }) => taskId)).sort()).toEqual(
      lost.sort(),
    );
    expect(await Promise.all(lost.map(stateOf))).toEqual(['queued', 'queued', 'queued']);
  });

  it('closes edges that an end left open, wherever they are, and the parents go on', async () => {
    const parents = await several(parent);
    const broken = [parents[0], parents[5], parents[8]].flatMap((one) => (one ? [one] : []));
    await world.pool.query(
      `UPDATE tasks SET state = 'completed', stop_cause = 'goal', ended_at = now() - interval '1 minute' WHERE id = ANY ($1)`,
      [broken.map(({ child }) => child)],
    );
    expect(await walk(() => reconciler.healEdges(), 4)).toEqual({ found: 3, again: 0 });
    await reconciler.fireDueWaits();
    for (const { id } of broken) expect(await stateOf(id)).toBe('queued');
    expect(await openEdges()).toBe(parents.length - 3);
  });

  it('takes a tree that was cancelled for no loss, and walks past its edges once', async () => {
    for (const { id } of await several(parent)) await world.commands.cancel('default', id, null);
    await world.pool.query(`UPDATE tasks SET ended_at = ended_at - interval '1 minute'`);
    expect(await openEdges()).toBeGreaterThan(0);
    expect(await walk(() => reconciler.healEdges(), 4)).toEqual({ found: 0, again: 0 });
    expect(await openEdges()).toBe(0);
  });

  it('finds trees that were given money while somebody held their tasks', async () => {
    const ids = await several(async () => {
      const lease = await world.running();
      const interaction = {
        ...{ id: newId('ask'), kind: 'budget' as const, callId: null, hash: 'h', title: 'Money?' },
        ...{ turn: 1, payload: { limitUsd: '1' }, expiresInMs: null, expiryAnswer: null },
      };
      await world.store.commit(lease, {
        ...emptyStep(),
        interactions: [interaction],
        end: {
          kind: 'suspend',
          waitId: newId('wait'),
          wait: {
            reason: 'budget',
            mode: 'all',
            childIds: [],
            dueInMs: null,
            interactionIds: [interaction.id],
          },
        },
      });
      return lease.taskId;
    });
    const richer = [ids[1], ids[8]].map(String);
    await world.pool.query('UPDATE budget_accounts SET limit_nano_usd = 1000000000');
    await world.pool.query(
      'UPDATE budget_accounts SET limit_nano_usd = 2000000000 WHERE root_id = ANY ($1)',
      [richer],
    );
    expect(await walk(() => reconciler.wakeBudgetWaits(), 4)).toEqual({ found: 0, again: 0 });
    expect(await Promise.all(ids.map(stateOf))).toEqual(
      ids.map((id) => (richer.includes(id) ? 'queued' : 'waiting')),
    );
  });
});

describe('a wait that nobody waits for any more', () => {
  it.each<[string, (id: string) => Promise<unknown>]>([
    ['a cancel', (id) => world.commands.cancel('default', id, null)],
    ['an interrupt', (id) => world.commands.interrupt('default', id, { id: newId('inbox'), text: 'Stop.' })],
    [
      'a deadline',
      async (id) => {
        await world.pool.query(
          `UPDATE tasks SET started_at = NULL, deadline_at = now() - interval '1 hour' WHERE id = $1`,
          [id],
        );
        await reconciler.endOverdue();
      },
    ],
  ])('is over with %s', async (_what, leave) => {
    const { id } = await parent();
    expect(await openWaits()).toBe(1);
    await leave(id);
    expect(await stateOf(id)).not.toBe('waiting');
    expect(await openWaits()).toBe(0);
  });

  it('is over when its time comes, also for a task that is paused, which finds that out when it goes on', async () => {
    const lease = await world.running();
    await suspend(lease, { reason: 'backoff', dueInMs: 3_600_000 });
    await world.commands.pause('default', lease.taskId, false);
    await world.pool.query(`UPDATE waits SET due_at = now() - interval '1 second'`);
    await reconciler.fireDueWaits();
    expect(await stateOf(lease.taskId)).toBe('paused');
    expect(await openWaits()).toBe(0);
    await world.commands.resume('default', lease.taskId);
    expect(await stateOf(lease.taskId)).toBe('queued');
  });
});
