/** The rows of processes on a real database: who may start one, and who is told of its end, once. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emptyStep, type Lease, type NewProcess } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { aDefinition } from '@bullpen/testing';
import { ProcessStore } from './processes.js';
import { askOfProcess } from '../queries/processes.js';
import { StoreWorld } from '../../test/store-world.js';

const EXITED = { state: 'exited', exitCode: 0, signal: null, cause: null, outputBytes: 7 } as const;

let world: StoreWorld;
let processes: ProcessStore;
beforeAll(async () => {
  world = await StoreWorld.open();
});
beforeEach(() => {
  world.effects = [];
  processes = new ProcessStore({
    ...{ pool: world.pool, newId },
    onCommitted: (effects) => void world.effects.push(effects),
  });
});
afterAll(async () => {
  expect(await world.broken()).toEqual([]);
  await world.close();
});

const processOf = ({ taskId, epoch, workerId }: Lease, change: Partial<NewProcess> = {}): NewProcess => ({
  ...{ id: newId('proc'), taskId, epoch, workerId, callId: newId('call'), host: 'h', pidSpace: 'p' },
  ...{ command: 'npm test', background: true, limitMs: 60_000, ...change },
});
async function started(lease: Lease, change: Partial<NewProcess> = {}): Promise<string> {
  const process = processOf(lease, change);
  expect(await processes.begin(process)).toBe(true);
  return process.id;
}
const told = async (taskId: string) =>
  (
    await world.pool.query<{ text: string }>(
      `SELECT text FROM inbox_messages WHERE task_id = $1 AND source = 'notice' ORDER BY created_at, id`,
      [taskId],
    )
  ).rows.map(({ text }) => text);
const taskOf = async (id: string) =>
  (await world.pool.query('SELECT state, inbox_pending, wake FROM tasks WHERE id = $1', [id])).rows[0];
const suspend = (lease: Lease, reason: 'message' | 'backoff') =>
  world.store.commit(lease, {
    ...emptyStep(),
    end: {
      kind: 'suspend',
      waitId: newId('wait'),
      wait: { reason, mode: 'all', childIds: [], dueInMs: reason === 'message' ? null : 600_000 },
    },
  });

describe('a process', () => {
  it('starts only under the newest lease', async () => {
    const lease = await world.running();
    await started(lease);
    expect(await processes.begin(processOf({ ...lease, epoch: lease.epoch - 1 }))).toBe(false);
    expect(await processes.begin(processOf({ ...lease, taskId: newId('task') }))).toBe(false);
    await suspend(lease, 'backoff');
    expect(await processes.begin(processOf(lease))).toBe(false);
  });

  it('ends once: a later end changes nothing and is not told', async () => {
    const lease = await world.running();
    const id = await started(lease);
    await processes.ended(id, EXITED, 'it ended');
    await processes.ended(id, { ...EXITED, state: 'killed' }, 'it was killed');
    expect(await processes.find(lease.taskId, id)).toMatchObject({
      state: 'exited',
      exitCode: 0,
      outputBytes: 7,
    });
    expect(await told(lease.taskId)).toEqual(['it ended']);
    expect(await processes.find(newId('task'), id)).toBeNull();
  });

  it('wakes a conversation that waits for a word, but no task that waits for something else, and none that was stopped', async () => {
    const talking = await world.running({ definition: aDefinition({ conversation: true }) });
    const stopped = await world.running({ definition: aDefinition({ conversation: true }) });
    const other = await world.running();
    const ids = [await started(talking), await started(stopped), await started(other)];
    await suspend(talking, 'message');
    await suspend(stopped, 'message');
    await world.pool.query('UPDATE tasks SET interrupted_at = now() WHERE id = $1', [stopped.taskId]);
    await suspend(other, 'backoff');
    world.effects = [];
    for (const id of ids) await processes.ended(id, EXITED, 'it ended');
    expect(await taskOf(talking.taskId)).toMatchObject({ state: 'queued', inbox_pending: 1, wake: 2 });
    expect(await taskOf(stopped.taskId)).toMatchObject({ state: 'waiting', inbox_pending: 1 });
    expect(await taskOf(other.taskId)).toMatchObject({ state: 'waiting', inbox_pending: 1 });
    expect(world.effects.flatMap(({ wakes }) => wakes)).toEqual([{ taskId: talking.taskId, wake: 2 }]);
    await world.pool.query('UPDATE tasks SET interrupted_at = NULL WHERE id = $1', [stopped.taskId]);
  });

  it('that another worker left is lost when the task goes on, and the agent is told of those in the background', async () => {
    const first = await world.running();
    const [behind, waited] = [await started(first), await started(first, { background: false })];
    await processes.anchored(behind, { pid: 4711, startTicks: 99 });
    const own = { ...first, workerId: 'worker_b' };
    expect(await processes.takeOver({ ...own, epoch: first.epoch + 1 })).toEqual([]);
    const left = await processes.takeOver(own);
    expect(left).toHaveLength(2);
    expect(left).toContainEqual({ id: behind, pidSpace: 'p', anchor: { pid: 4711, startTicks: 99 } });
    expect(await processes.find(first.taskId, waited)).toMatchObject({ state: 'lost' });
    expect(await told(first.taskId)).toEqual([
      expect.stringContaining('was ended, because its worker was lost'),
    ]);
    expect(await processes.takeOver(own)).toEqual([]);
    expect(await processes.takeOver(first)).toEqual([]);
  });

  it('hears what is asked of it, the first of each, and that its task is over', async () => {
    const [lease, ending] = [await world.running(), await world.running()];
    const [quiet, wanted, over] = [await started(lease), await started(lease), await started(ending)];
    expect(await askOfProcess(world.pool, wanted, 'kill', 'ada')).toBe(true);
    expect(await askOfProcess(world.pool, wanted, 'kill', 'bob')).toBe(true);
    const cancelled = {
      state: 'cancelled',
      cause: 'cancelled',
      output: null,
      partial: false,
      failure: null,
    } as const;
    await world.store.commit(ending, { ...emptyStep(), end: { kind: 'finish', outcome: cancelled } });
    const gone = newId('proc');
    const orders = await processes.report([quiet, wanted, over, gone].map((id) => ({ id, outputBytes: 5 })));
    expect(orders).toHaveLength(3);
    expect(orders).toContainEqual({ id: wanted, over: null, killBy: 'ada', backgroundBy: null });
    expect(orders).toContainEqual({ id: over, over: 'task_ended', killBy: null, backgroundBy: null });
    expect(orders).toContainEqual({ id: gone, over: 'lost', killBy: null, backgroundBy: null });
    expect(await processes.find(lease.taskId, quiet)).toMatchObject({ outputBytes: 5 });
    await processes.ended(over, EXITED, null);
    expect(await askOfProcess(world.pool, over, 'kill', 'ada')).toBe(false);
  });

  it('that nobody looks after any more is found and told, and those of live workers are left alone', async () => {
    const lease = await world.running();
    await world.pool.query(
      `INSERT INTO workers (id, host, pid, slots, version, seen_at) VALUES ('worker_live', 'h', 1, 1, '0', now()), ('worker_dead', 'h', 1, 1, '0', now() - interval '5 minutes')`,
    );
    const live = await started(lease, { workerId: 'worker_live' });
    const dead = await started(lease, { workerId: 'worker_dead' });
    expect(await world.reconciler.endLostProcesses()).toBeGreaterThan(0);
    expect(await world.reconciler.endLostProcesses()).toBe(0);
    expect(await processes.find(lease.taskId, live)).toMatchObject({ state: 'running' });
    expect(await processes.find(lease.taskId, dead)).toMatchObject({ state: 'lost' });
    expect(await told(lease.taskId)).toEqual([expect.stringContaining(dead)]);
  });
});
