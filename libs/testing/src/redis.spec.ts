import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { describeWithRedis, queueBackends } from './queue-backends.js';
import { testRedis, type TestRedis } from './redis.js';

describeWithRedis('testRedis', () => {
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await testRedis();
  });
  afterAll(() => redis.stop());

  it('forgets everything at a flush and at a restart, and is back on the same port', async () => {
    await send(redis.url, 'SET key one');
    expect(await send(redis.url, 'GET key')).toBe('$3\r\none\r\n');
    await redis.flush();
    expect(await send(redis.url, 'GET key')).toBe('$-1\r\n');
    await send(redis.url, 'SET key two');
    await redis.restart();
    expect(await send(redis.url, 'GET key')).toBe('$-1\r\n');
  });

  it('keeps what was answered over a restart when asked to', async () => {
    const durable = await testRedis({ persistent: true });
    try {
      await send(durable.url, 'SET key one');
      await durable.restart();
      expect(await send(durable.url, 'GET key')).toBe('$3\r\none\r\n');
    } finally {
      await durable.stop();
    }
  });

  it('refuses connections while it is killed', async () => {
    const other = await testRedis();
    await other.kill();
    await expect(send(other.url, 'PING')).rejects.toThrow(/ECONNREFUSED/);
    await other.stop();
  });
});

for (const backend of queueBackends()) {
  backend.describe('a suite for both backends', () => {
    it('has a Redis where one is the backend, and none on Postgres', async () => {
      const redis = await backend.start();
      expect(redis === null).toBe(backend.name === 'postgres');
      await redis?.stop();
    });
  });
}

function send(url: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(`${line}\r\n`));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.once('error', reject);
  });
}
