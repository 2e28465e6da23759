/** The queue and its dashboard, on both backends. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@bullpen/platform';
import { QUEUE_NAME } from '@bullpen/queue';
import { getQueueToken } from '@nestjs/bullmq';
import { Worker, type Queue } from 'bullmq';
import { queueBackends, waitFor, type QueueBackend, type TestRedis } from '@bullpen/testing';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

for (const backend of queueBackends()) backend.describe('the queue', () => suite(backend));

function suite(backend: QueueBackend): void {
  let bullpen: TestGateway;
  let redis: TestRedis | null = null;
  beforeAll(async () => {
    redis = await backend.start();
    bullpen = await startTestGateway(redis ? { redisUrl: redis.url } : {});
  });
  afterAll(async () => {
    await bullpen?.close();
    await redis?.stop();
  });

  it('gets a job for each new task, which the dashboard shows', async () => {
    const { id } = (await (await bullpen.post('/v1/tasks', { prompt: 'x' })).json()) as { id: string };
    const jobs = async () => {
      const response = await bullpen.call(
        `/admin/queues/api/queues?activeQueue=${QUEUE_NAME}&status=latest&page=1`,
      );
      expect(response.status).toBe(200);
      return JSON.stringify(await response.json());
    };
    await waitFor(async () => (await jobs()).includes(`${id}-1`), { what: 'the job to show' });
  });

  it('says which backend it is on', async () => {
    expect(await (await bullpen.call('/v1/system')).json()).toMatchObject({ queueBackend: backend.name });
  });

  it('puts failed jobs back, one or all, and changes nothing else', async () => {
    const queue = bullpen.gateway.app.get<Queue>(getQueueToken(QUEUE_NAME));
    const jobs = [await queue.add('wake', {}), await queue.add('wake', {}), await queue.add('wake', {})];
    const worker = new Worker(QUEUE_NAME, () => Promise.reject(new Error('no')), {
      ...queue.opts,
      connection: { ...queue.opts.connection, maxRetriesPerRequest: null },
    });
    worker.on('error', () => undefined);
    await waitFor(async () => (await queue.getFailedCount()) >= 3, { what: 'the jobs to fail' });
    await worker.close();
    const put = (path: string, init: RequestInit & { key?: string | null } = {}) =>
      bullpen.call(`/admin/queues/api/queues/${QUEUE_NAME}/${path}`, { method: 'PUT', ...init });
    const state = async (n: number) => (await queue.getJob(jobs[n]?.id ?? ''))?.getState();

    const reader = await bullpen.newKey({ scopes: ['read', 'write'] });
    expect((await put(`${jobs[0]?.id}/retry`, { key: reader })).status).toBe(403);
    expect(await state(0)).toBe('failed');
    expect((await put(`${jobs[0]?.id}/retry`)).status).toBeLessThan(300);
    expect([await state(0), await state(1)]).toEqual(['waiting', 'failed']);
    for (const refused of [
      'retry/completed',
      'promote',
      'empty',
      'obliterate',
      `${jobs[1]?.id}/clean`,
      'clean/failed',
    ])
      expect([refused, (await put(refused)).status]).toEqual([refused, 405]);
    expect((await put('retry/failed')).status).toBe(200);
    expect([await state(1), await state(2)]).toEqual(['waiting', 'waiting']);
  });

  it('has a dashboard with all its files, read only', async () => {
    const page = await bullpen.call('/admin/queues');
    expect(page.headers.get('content-security-policy')).not.toMatch(/script-src[^;]*unsafe/);
    const text = await page.text();
    expect(text).toContain('<base href="/admin/queues/" />');
    for (const [, file] of text.matchAll(/(?:src|href)="(static\/[^"]+)"/g))
      expect([file, (await bullpen.call(`/admin/queues/${file}`)).status]).toEqual([file, 200]);
    const pause = await bullpen.call(`/admin/queues/api/queues/${QUEUE_NAME}/pause`, { method: 'PUT' });
    expect(await problemFrom(pause)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(
      await problemFrom(await bullpen.call('/admin/queues/api/queues/none/retry/failed', { method: 'PUT' })),
    ).toMatchObject({ status: 404 });
  });
}

describe('a queue that is away', () => {
  it('does not keep tasks from being created, and shows in readiness', async () => {
    const port = await freePort();
    const bullpen = await startTestGateway({ redisUrl: `redis://127.0.0.1:${port}` });
    try {
      // Whoever waited for the queue would wait for ever.
      expect((await bullpen.post('/v1/tasks', { prompt: 'x' })).status).toBe(201);
      const ready = await bullpen.call('/readyz', { key: null });
      expect([ready.status, JSON.stringify(await ready.json())]).toEqual([
        503,
        expect.stringContaining('"queue","ok":false'),
      ]);
    } finally {
      await bullpen.close();
    }
  });
});
