/** Which machine has a workspace, on a real database: taken by one, never from under a run. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emptyStep, type Lease, type NewCheckpoint } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { seeWorker } from '@bullpen/store';
import { StoreWorld } from '../../test/store-world.js';
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
  ...{ files: 2, diffstat: null, leftOut: [], bytes: 7, ...change },
});
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
    expect(await rows.stateOf(first.id)).toMatchObject({ id: first.id, turn: 0, taskId: lease.taskId });
  });
});
