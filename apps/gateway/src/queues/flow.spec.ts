/** Queues and workers over HTTP: what stands where, over time, for whom, and who may stop it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  QueueList,
  QueueSamples,
  QueueView,
  WorkerList,
  WorkerView,
  type BusMessage,
} from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import { sampleQueue, seeWorker } from '@bullpen/store';
import { waitFor } from '@bullpen/testing';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';
import { Shared } from './shared-look.js';

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway();
});
afterAll(() => bullpen?.close());

const workerId = newId('worker');
const worker = {
  ...{ id: workerId, host: 'host-1', pid: 1, slots: 4, running: 1, version: '1', simulated: true },
  ...{ providerKey: 'none', sandbox: 'none' },
};
const json = async (path: string, key?: string) =>
  (await bullpen.call(path, { ...(key !== undefined && { key }) })).json() as Promise<unknown>;
/** The queue as it is after what was done before, not as somebody saw it a moment ago. */
const queue = async (key?: string): Promise<QueueView> => {
  const [view] = QueueList.parse(await json('/v1/queues', key)).data;
  if (view === undefined) throw new Error('no queue');
  return view;
};
const submit = async (body: object, key?: string): Promise<string> => {
  const response = await bullpen.post(
    '/v1/tasks',
    { prompt: 'x', ...body },
    { authorization: `Bearer ${key ?? bullpen.key}` },
  );
  return ((await response.json()) as { id: string }).id;
};
const set = (id: string, change: string) =>
  bullpen.pool.query(`UPDATE tasks SET ${change} WHERE id = $1`, [id]);

describe('the queue', () => {
  it('shows depth, ages, rates and waits of all tenants to an admin, and to others their own', async () => {
    await seeWorker(bullpen.pool, worker);
    const [old, running, asking] = [await submit({}), await submit({}), await submit({})];
    await submit({ runAt: new Date(Date.now() + 3_600_000).toISOString() });
    await submit({}, bullpen.otherKey);
    await bullpen.pool.query(`UPDATE dispatches SET run_at = now() - interval '90 s' WHERE task_id = $1`, [
      old,
    ]);
    await bullpen.pool.query('DELETE FROM dispatches WHERE task_id = ANY ($1)', [[running, asking]]);
    await set(
      running,
      `state = 'running', worker_id = '${workerId}', leased_at = now() - interval '1 minute',
      started_at = now(), created_at = now() - interval '2 s'`,
    );
    await set(asking, `state = 'waiting', wait_reason = 'approval'`);
    await bullpen.pool.query('DELETE FROM queue_samples');
    expect(await sampleQueue(bullpen.pool)).toBe(true);
    // The moment has its sample: whoever comes second takes none.
    await sampleQueue(bullpen.pool);

    await bullpen.post('/v1/queues/tasks/resume');
    const all = await queue();
    expect(all).toMatchObject({ name: 'tasks', covers: 'all', flow: { state: 'open', by: 'test' } });
    expect(all.total).toMatchObject({
      depth: { ready: 2, later: 1, running: 1, people: 1, waiting: 0, paused: 0 },
      inPerMinute: 5,
      outPerMinute: 0,
    });
    expect(all.total.oldestReadyMs).toBeGreaterThanOrEqual(90_000);
    expect(all.total.wait).toMatchObject({ count: 1 });
    expect(all.total.wait.p95).toBeGreaterThanOrEqual(1_900);
    expect(all.tenants.map(({ tenantId, depth }) => [tenantId, depth.ready])).toEqual([
      ['default', 1],
      ['other', 1],
    ]);
    expect(all.slots).toMatchObject({ total: 4, workers: 1, closed: 0 });

    const reader = await bullpen.newKey({ tenantId: 'other', scopes: ['read'] });
    const own = await queue(reader);
    expect(own).toMatchObject({ covers: 'tenant', total: { depth: { ready: 1, running: 0 } } });
    expect(own.tenants.map(({ tenantId }) => tenantId)).toEqual(['other']);
    expect(JSON.stringify(own)).not.toContain('default');
  });

  it('has a series of at most 360 buckets for each window; what nobody sampled is absent', async () => {
    await bullpen.pool.query(
      `INSERT INTO queue_samples (at, tenant_id, ready, later, running, people, waiting, paused, entered, ended, oldest_ready_ms,
         waits, wait_ms, runs, run_ms, slots)
       SELECT date_bin('1 minute', now() - m * interval '1 minute', 'epoch'), tenant, m % 7, 0, 1, 0, 0, 0, 2, 1, 1000, 1, '{1,2,3}', 0, NULL, 4
       FROM generate_series(2, 10000) m, unnest(ARRAY['', 'other']) tenant WHERE m NOT BETWEEN 20 AND 39 ON CONFLICT DO NOTHING`,
    );
    for (const window of ['1h', '6h', '24h', '7d'] as const) {
      const series = QueueSamples.parse(await json(`/v1/queues/samples?window=${window}`));
      expect(series.data.length).toBeGreaterThan(20);
      expect(series.data.length).toBeLessThanOrEqual(360);
      expect((Date.parse(series.now) - Date.parse(series.from)) / series.bucketMs).toBeLessThanOrEqual(360);
      const times = series.data.map(({ at }) => Date.parse(at));
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
      expect(series.data[1]).toMatchObject({ inPerMinute: 2, outPerMinute: 1, waitP95Ms: 2, runP95Ms: null });
    }
    const hour = QueueSamples.parse(await json('/v1/queues/samples?window=1h'));
    const gap = hour.data.map(({ at }) => (Date.parse(hour.now) - Date.parse(at)) / 60_000);
    expect(gap.filter((minutes) => minutes > 21 && minutes < 38)).toEqual([]);

    const reader = await bullpen.newKey({ tenantId: 'other', scopes: ['read'] });
    expect(QueueSamples.parse(await json('/v1/queues/samples', reader)).covers).toBe('tenant');
    const foreign = await bullpen.call('/v1/queues/samples?tenantId=default', { key: reader });
    expect(await problemFrom(foreign)).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('is paused, drained and opened by admins only; the answer says who did it and why', async () => {
    const paused = await bullpen.post('/v1/queues/tasks/pause', { reason: 'Upgrade' });
    expect(QueueView.parse(await paused.json()).flow).toEqual({
      ...{ state: 'paused', by: 'test', reason: 'Upgrade' },
      since: expect.any(String),
    });
    const id = await submit({});
    const { rows } = await bullpen.pool.query('SELECT announced_at FROM dispatches WHERE task_id = $1', [id]);
    expect(rows).toEqual([{ announced_at: null }]);
    const drained = await bullpen.post('/v1/queues/tasks/drain');
    expect(QueueView.parse(await drained.json()).flow).toMatchObject({ state: 'draining', reason: null });
    expect((await bullpen.post('/v1/queues/tasks/resume')).status).toBe(200);
    expect(await problemFrom(await bullpen.post('/v1/queues/none/pause'))).toMatchObject({
      status: 404,
      nextActions: [{ action: 'queue.list' }],
    });
    const writer = { authorization: `Bearer ${await bullpen.newKey({ scopes: ['read', 'write'] })}` };
    for (const verb of ['pause', 'drain', 'resume'])
      expect((await bullpen.post(`/v1/queues/tasks/${verb}`, {}, writer)).status).toBe(403);
  });
});

describe('workers', () => {
  it('show what each runs and since when; others only the tasks of their tenant', async () => {
    await seeWorker(bullpen.pool, worker);
    const id = await submit({ title: 'Mine' });
    await set(id, `state = 'running', worker_id = '${workerId}', leased_at = now() - interval '5 minutes'`);
    await bullpen.prisma.modelCall.create({
      data: {
        ...{ id: newId('mcall'), taskId: id, turn: 1, attempt: 1, phase: 'work', model: 'claude-test' },
        ...{ status: 'started', requestHash: '', requestMessages: 1, startedAt: new Date() },
      },
    });
    await bullpen.post('/v1/queues/tasks/resume');
    const list = WorkerList.parse(await json('/v1/workers'));
    const [shown] = list.data.filter((one) => one.id === workerId);
    const task = shown?.tasks.find((one) => one.id === id);
    expect(task).toMatchObject({
      ...{ title: 'Mine', agent: 'general', tenantId: 'default' },
      doing: { kind: 'model', name: 'claude-test', detail: null },
    });
    expect(Date.parse(list.now) - Date.parse(task?.since ?? '')).toBeGreaterThanOrEqual(299_000);
    const others = WorkerList.parse(await json('/v1/workers', bullpen.otherKey));
    expect(others.data[0]?.tasks.length).toBe(shown?.tasks.length);
    const reader = await bullpen.newKey({ tenantId: 'other', scopes: ['read'] });
    const own = WorkerList.parse(await json('/v1/workers', reader));
    expect(own.data.find((one) => one.id === workerId)).toMatchObject({ slots: 4, running: 1, tasks: [] });
  });

  it('are paused, drained and opened; the worker is told at once', async () => {
    const heard: BusMessage[] = [];
    const stop = await bullpen.bus.subscribe((message) => heard.push(message));
    const drained = await bullpen.post(`/v1/workers/${workerId}/drain`, { reason: 'Disk' });
    expect(WorkerView.parse(await drained.json()).flow).toMatchObject({ state: 'draining', reason: 'Disk' });
    await waitFor(() => heard.some((message) => message.kind === 'worker' && message.workerId === workerId), {
      what: 'the word to the worker',
    });
    await stop();
    expect((await queue()).slots).toMatchObject({ workers: 1, closed: 1 });
    const open = await bullpen.post(`/v1/workers/${workerId}/resume`);
    expect(WorkerView.parse(await open.json()).flow.state).toBe('open');
    for (const id of [newId('worker'), 'x'])
      expect((await bullpen.post(`/v1/workers/${id}/pause`)).status).toBe(404);
    const writer = { authorization: `Bearer ${await bullpen.newKey({ scopes: ['read', 'write'] })}` };
    expect((await bullpen.post(`/v1/workers/${workerId}/pause`, {}, writer)).status).toBe(403);
  });
});

it('a look is shared by all who ask while it is fresh; one that failed or is outdated is not', async () => {
  let looks = 0;
  const shared = new Shared(60_000, () => {
    looks += 1;
    return looks === 1 ? Promise.reject(new Error('away')) : Promise.resolve(looks);
  });
  await expect(shared.get()).rejects.toThrow('away');
  expect(await Promise.all(Array.from({ length: 50 }, () => shared.get()))).toEqual(Array(50).fill(2));
  shared.forget();
  expect(await shared.get()).toBe(3);
});
