/** Which machine has a workspace, on a real database: taken by one, never from under a run. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyStep, type Lease, type NewCheckpoint, type NewChild } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { seeWorker } from '@bullpen/store';
import { aNewChild } from '@bullpen/testing';
import { StoreWorld } from '../../test/store-world.js';
import { WorkspaceHouse } from './workspace-house.js';
import { WorkspaceRows } from './workspace-rows.js';

let world: StoreWorld;
let rows: WorkspaceRows;
beforeAll(async () => {
  world = await StoreWorld.open();
  rows = new WorkspaceRows(world.pool);
});
afterAll(async () => {
  expect(await world.broken()).toEqual([]);
  await world.close();
});

const take = async (lease: Lease, home: string, rebuiltFrom: string | null = null) => {
  const seen = await rows.look(lease.taskId, lease.taskId);
  return rows.take(lease, { workspaceId: lease.taskId, home, seen, rebuiltFrom });
};
const epochKnown = async (taskId: string) =>
  (
    await world.pool.query<{ workspace_epoch: number }>('SELECT workspace_epoch FROM tasks WHERE id = $1', [
      taskId,
    ])
  ).rows[0]?.workspace_epoch;
const checkpoint = (workspaceId: string, change: Partial<NewCheckpoint> = {}): NewCheckpoint => ({
  ...{ id: newId('ckpt'), workspaceId, parentId: null, reason: 'turn', note: null, turn: 1, commit: 'c1' },
  ...{ files: 2, diffstat: null, changes: null, leftOut: [], bytes: 7, ...change },
});
/** Running subtasks. */
async function subtasks<const T extends readonly Partial<NewChild>[]>(
  root: Lease,
  ...changes: T
): Promise<{ [K in keyof T]: Lease }> {
  const children = changes.map((change) => aNewChild(change));
  await world.store.commit(root, { ...emptyStep(), children });
  const leases = [];
  for (const { id } of children) {
    const lease = await world.store.claim(id, 1, root.workerId);
    if (lease === null) throw new Error(`${id} cannot be claimed`);
    leases.push(lease);
  }
  return leases as { [K in keyof T]: Lease };
}
async function worker(id: string, home: string): Promise<void> {
  const facts = { host: 'h', pid: 1, slots: 1, running: 1, version: '0', simulated: true };
  await seeWorker(world.pool, { id, home, ...facts, providerKey: 'k', sandbox: 'none' });
}

describe('a workspace', () => {
  it('is where it was opened first, and a task knows the copy that it found', async () => {
    const lease = await world.running();
    expect(await rows.look(lease.taskId, lease.taskId)).toBeNull();
    expect(await take(lease, 'home-a')).toBe(1);
    expect(await rows.look(lease.taskId, lease.taskId)).toMatchObject({
      home: 'home-a',
      epoch: 1,
      newest: null,
    });
    expect(await rows.reopen(lease.taskId, lease.taskId, 'home-a', 1)).toBe(true);
    expect(await epochKnown(lease.taskId)).toBe(1);
  });

  it('is taken elsewhere by one, and never again opened where it was', async () => {
    const lease = await world.running();
    await take(lease, 'home-a');
    const seen = await rows.look(lease.taskId, lease.taskId);
    const request = { workspaceId: lease.taskId, seen, rebuiltFrom: null };
    const taken = await Promise.all(
      ['home-b', 'home-c', 'home-d'].map((home) => rows.take(lease, { ...request, home })),
    );
    expect(taken.filter((epoch) => epoch !== null)).toEqual([2]);
    expect(await rows.reopen(lease.taskId, lease.taskId, 'home-a', 1)).toBe(false);
    expect(await epochKnown(lease.taskId)).toBe(1);
  });

  it('is not taken from where somebody opened it since the look, nor without the lease', async () => {
    const lease = await world.running();
    await take(lease, 'home-a');
    const seen = await rows.look(lease.taskId, lease.taskId);
    await rows.reopen(lease.taskId, lease.taskId, 'home-a', 1);
    const request = { workspaceId: lease.taskId, home: 'home-b', seen, rebuiltFrom: null };
    expect(await rows.take(lease, request)).toBeNull();
    expect(await take({ ...lease, epoch: lease.epoch - 1 }, 'home-b')).toBeNull();
    expect(await take(lease, 'home-b')).toBe(2);
  });

  it('is busy while another run works where it is, and only then', async () => {
    const lease = await world.running();
    await worker(lease.workerId, 'home-a');
    await take(lease, 'home-a');
    expect(await rows.look(lease.taskId, newId('task'))).toMatchObject({ busy: true });
    expect(await rows.look(lease.taskId, lease.taskId)).toMatchObject({ busy: false });
    await world.store.commit(lease, { ...emptyStep(), end: { kind: 'yield' } });
    expect(await rows.look(lease.taskId, newId('task'))).toMatchObject({ busy: false });
  });

  it('goes on from its newest checkpoint, which has its place in both histories', async () => {
    const lease = await world.running();
    await take(lease, 'home-a');
    const first = checkpoint(lease.taskId, { reason: 'start', commit: 'c0', turn: 0 });
    const second = checkpoint(lease.taskId, { parentId: first.id });
    await world.store.commit(lease, { ...emptyStep(), checkpoints: [first] });
    await world.store.commit(lease, {
      ...emptyStep(),
      checkpoints: [second],
      events: [{ type: 'checkpoint.failed', data: { reason: 'no_git', message: 'm' } }],
    });
    expect(await rows.newest(lease.taskId)).toEqual({ id: second.id, commit: 'c1' });
    expect(await rows.look(lease.taskId, lease.taskId)).toMatchObject({
      newest: { id: second.id, commit: 'c1' },
    });
    const { rows: places } = await world.pool.query(
      `SELECT c.message_seq = t.message_seq AS message, c.event_seq = t.event_seq AS event
       FROM checkpoints c JOIN tasks t ON t.id = c.task_id WHERE c.id = $1`,
      [second.id],
    );
    expect(places).toEqual([{ message: true, event: true }]);
    expect(await rows.stateOf(first.id)).toMatchObject({
      checkpointId: first.id,
      turn: 0,
      taskId: lease.taskId,
      at: expect.any(Date),
    });
  });

  it('that is shared is changed by one subtask at a time, for as long as that runs', async () => {
    const root = await world.running();
    await take(root, 'home-a');
    const [first, second] = await subtasks(root, {}, {});
    expect(await rows.letWrite(first.taskId, root.taskId)).toBe(true);
    expect(await rows.letWrite(second.taskId, root.taskId)).toBe(false);
    expect(await rows.letWrite(first.taskId, root.taskId)).toBe(true);
    await world.store.commit(first, { ...emptyStep(), end: { kind: 'yield' } });
    const let2 = await Promise.all([first, second].map(({ taskId }) => rows.letWrite(taskId, root.taskId)));
    expect(let2).toContain(true);
    expect(let2.filter(Boolean)).toHaveLength(1);
  });

  it("of a subtask's own begins from the state of its parent, and is idle once nobody works in it and all is stored", async () => {
    const root = await world.running();
    await take(root, 'home-a');
    const base = checkpoint(root.taskId, { commit: 'c0' });
    await world.store.commit(root, { ...emptyStep(), checkpoints: [base] });
    const [own] = await subtasks(root, { base: base.id });
    const id = own.taskId;
    const start = { id: base.id, commit: 'c0' };
    expect(await rows.look(id, id)).toMatchObject({ home: null, epoch: 0, newest: start, busy: false });
    expect([await rows.newest(id), await rows.baseOf(id), await rows.baseOf(root.taskId)]).toEqual([
      start,
      start,
      null,
    ]);
    await take(own, 'home-x', base.id);
    const house = new WorkspaceHouse(world.pool);
    expect(await house.idle('home-x')).toEqual([]);
    const done = { state: 'completed', cause: 'goal' } as const;
    const outcome = { ...done, output: null, partial: false, failure: null };
    await world.store.commit(own, { ...emptyStep(), end: { kind: 'finish', outcome } });
    expect(await house.idle('home-x')).toEqual([id]);
    const row = await house.look(id, null);
    if (row === null) throw new Error('no row');
    expect(row).toMatchObject({ stored: 'c0', inPlace: false });
    await rows.setUnsaved(id, true);
    expect([await house.idle('home-x'), await house.leave(row)]).toEqual([[], false]);
    await rows.setUnsaved(id, false);
    expect([await house.leave({ ...row, opens: row.opens - 1 }), await house.leave(row)]).toEqual([
      false,
      true,
    ]);
    expect(await house.idle('home-x')).toEqual([]);
    expect(await rows.look(id, id)).toMatchObject({ home: null, newest: start });
  });

  it('is set up once in each copy, by one run, and not again while its end is stored', async () => {
    const root = await world.running({ workspace: { kind: 'empty', setup: 'npm ci' } });
    const id = root.taskId;
    await take(root, 'home-a');
    const setup = { workspaceId: id, epoch: 1, state: 'failed' as const, text: 'exit code 1' };
    const [other] = await subtasks(root, {});
    expect([await rows.letSetUp(id, id, 1), await rows.letSetUp(other.taskId, id, 1)]).toEqual([true, false]);
    // Its agent is told of the copy with how that was set up.
    expect(await epochKnown(id)).toBeNull();
    await world.store.commit(root, { ...emptyStep(), setups: [setup] });
    expect((await rows.look(id, id))?.setup).toMatchObject({ state: 'failed', text: 'exit code 1' });
    expect([await rows.letSetUp(id, id, 1), await rows.letSetUp(other.taskId, id, 1)]).toEqual([
      false,
      false,
    ]);
    await take(root, 'home-b');
    expect((await rows.look(id, id))?.setup).toBeNull();
    // The end of what ran in the copy before says nothing of this one.
    await world.store.commit(root, { ...emptyStep(), setups: [setup] });
    expect(await rows.letSetUp(id, id, 2)).toBe(true);
  });

  it("of a subtask's own has been set up with its parent's only where checkpoints leave nothing of that out", async () => {
    const root = await world.running({ workspace: { kind: 'empty', setup: 'npm ci' } });
    await take(root, 'home-a');
    const whole = checkpoint(root.taskId);
    const ignored = { reason: 'ignored' as const, count: 1, paths: ['node_modules'] };
    const partial = checkpoint(root.taskId, { leftOut: [ignored] });
    const setup = { workspaceId: root.taskId, epoch: 1, state: 'done' as const, text: 'exit code 0' };
    await world.store.commit(root, { ...emptyStep(), checkpoints: [whole, partial], setups: [setup] });
    const own = await subtasks(root, { base: whole.id }, { base: partial.id });
    const looks = () => Promise.all(own.map(({ taskId }) => rows.look(taskId, taskId)));
    const seen = await looks();
    expect(seen.map((row) => row?.setup?.state ?? null)).toEqual(['done', null]);
    const [first] = own;
    const request = { workspaceId: first.taskId, home: 'home-a', rebuiltFrom: whole.id };
    const before = seen[0] ?? null;
    expect(await rows.take(first, { ...request, seen: before, setup: before?.setup ?? null })).toBe(1);
    expect((await looks()).map((row) => row?.setup?.state ?? null)).toEqual(['done', null]);
    await take(first, 'home-b', whole.id);
    expect((await looks()).map((row) => row?.setup ?? null)).toEqual([null, null]);
  });
});
