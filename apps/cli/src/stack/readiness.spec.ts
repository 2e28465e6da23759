import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { redisAvailable, testRedis } from '@bullpen/testing';
import { probeRedis } from '../doctor/redis-probe.js';
import { requireReady, requireRedis } from './readiness.js';

const never = new AbortController().signal;

describe('a start with Redis', () => {
  it('is refused when nobody answers at REDIS_URL: it says where, why and what to do, and no password', async () => {
    await expect(requireRedis('redis://me:hunter2@127.0.0.1:1', never)).rejects.toMatchObject({
      code: 'queue_unreachable',
      message: expect.stringMatching(/^(?!.*hunter2)[^]*127\.0\.0\.1:1.*ECONNREFUSED[^]*REDIS_URL/),
    });
  });

  (redisAvailable() ? it : it.skip)(
    'is refused when Redis answers and takes no writes',
    async () => {
      const redis = await testRedis();
      try {
        await requireRedis(redis.url, never);
        await redis.command('CONFIG SET maxmemory 1mb');
        await redis.command('DEBUG POPULATE 20000 filler');
        expect((await probeRedis(redis.url)).refusesWrites).toMatch(/^OOM/);
        await redis.command('CONFIG SET maxmemory 0');
        await redis.command('REPLICAOF 127.0.0.1 1');
        await expect(requireRedis(redis.url, never)).rejects.toThrow(/READONLY/);
      } finally {
        await redis.stop();
      }
    },
    20_000,
  );

  it('waits for a server that is being started, and no longer than somebody wants it to', async () => {
    await expect(requireRedis('redis://127.0.0.1:1', AbortSignal.timeout(100))).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });
});

describe('what was started', () => {
  let server: Server | null = null;
  afterEach(() => void server?.close());

  it('is ready when its gateway says so', async () => {
    const answers = [
      { status: 'not_ready', checks: [{ name: 'queue', ok: false, detail: 'no answer within 2000 ms' }] },
      { status: 'ready', checks: [] },
    ];
    server = createServer((_request, response) => {
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      response.writeHead(answer?.status === 'ready' ? 200 : 503, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await requireReady(url, never);
    answers.unshift({ status: 'not_ready', checks: [{ name: 'queue', ok: false, detail: 'OOM' }] });
    answers.pop();
    const notReady = requireReady(url, never, 100);
    await expect(notReady).rejects.toMatchObject({
      code: 'not_ready',
      message: expect.stringContaining('queue: OOM'),
    });
  });
});
