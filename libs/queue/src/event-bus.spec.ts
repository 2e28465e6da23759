/**
 * Live events over Redis, over Postgres and in memory. Slow, because connections that hang are given up only after their time
 * limits.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BusMessage } from '@bullpen/contracts';
import { silentLogger } from '@bullpen/platform';
import { testDatabase, testRedis, waitFor, type TestDatabase, type TestRedis } from '@bullpen/testing';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { EventBus } from './bus.js';
import { PostgresEventBus, type PostgresEventBusOptions } from './postgres-event-bus.js';
import { RedisEventBus } from './redis-event-bus.js';
import { onDatabase } from './testing/sql.js';
import { aDelta, deltaMessage, recordingLogger, rows } from './testing/builders.js';
import { eventBusContract } from './testing/event-bus.contract.js';
import { TcpProxy } from './testing/tcp-proxy.js';

const logger = silentLogger();

describe('on Redis', () => {
  let redis: TestRedis;
  let proxy: TcpProxy;
  let deployments = 0;
  const opened: EventBus[] = [];
  const bus = (redisUrl: string, prefix = `d${deployments}`): EventBus => {
    const one = new RedisEventBus({ redisUrl, prefix, logger });
    opened.push(one);
    return one;
  };
  beforeAll(async () => {
    redis = await testRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(async () => {
    deployments += 1;
    proxy = await new TcpProxy(redis.url).open();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
    await proxy.cut();
  });

  eventBusContract('RedisEventBus', () => {
    deployments += 1;
    const prefix = `d${deployments}`;
    return Promise.resolve({
      bus: () => new RedisEventBus({ redisUrl: redis.url, prefix, logger }),
      close: () => Promise.resolve(),
    });
  });

  it('hears after a broken connection what was sent meanwhile, once and in order, and is told of the gap', async () => {
    const worker = bus(redis.url);
    const heard: BusMessage[] = [];
    let gaps = 0;
    await bus(proxy.url).subscribe(
      (message) => heard.push(message),
      () => (gaps += 1),
    );
    worker.publish(rows('t1', 1));
    await waitFor(() => heard.length === 1, { what: 'the first was heard' });

    await proxy.cut();
    worker.publish(rows('t1', 2));
    worker.publish(rows('t2', 3));
    await waitFor(async () => (await streamLength(redis.url, `d${deployments}:events`)) === 3, {
      what: 'they were sent',
    });
    await proxy.open();

    await waitFor(() => heard.length === 3, { what: 'all were heard' });
    expect(heard).toEqual([rows('t1', 1), rows('t1', 2), rows('t2', 3)]);
    expect(gaps).toBe(1);
  });

  it('hears again after Redis was restarted and lost the stream, and is told of the gap', async () => {
    const [worker, gateway] = [bus(redis.url), bus(redis.url)];
    const heard: BusMessage[] = [];
    let gaps = 0;
    await gateway.subscribe(
      (message) => heard.push(message),
      () => (gaps += 1),
    );
    worker.publish(rows('t1', 1));
    await waitFor(() => heard.length === 1, { what: 'the first was heard' });

    await redis.kill();
    worker.publish(rows('t1', 2));
    worker.publish(deltaMessage(aDelta()));
    await redis.restart();

    await waitFor(() => heard.some((message) => message.kind === 'rows' && message.seq === 2), {
      what: 'the nudge was kept and heard',
    });
    await waitFor(() => gaps > 0, { what: 'the gap was told' });
  });

  it('goes on from the start of a new stream whose ids are lower than those it has read', async () => {
    const key = `d${deployments}:events`;
    const raw = new Redis(redis.url);
    const heard: BusMessage[] = [];
    await raw.xadd(key, '99999999999999-0', 'm', JSON.stringify(rows('old', 1)));
    await bus(proxy.url).subscribe((message) => heard.push(message));

    await proxy.cut();
    await raw.flushall();
    await raw.xadd(key, '5-0', 'm', JSON.stringify(rows('new', 1)));
    await proxy.open();

    await waitFor(() => heard.length === 1, { what: 'the new stream was read' });
    expect(heard).toEqual([rows('new', 1)]);
    await raw.quit();
  });

  it('subscribes within its bound when Redis is away, and is told of the gap when it is there', async () => {
    await proxy.cut();
    const heard: BusMessage[] = [];
    let gaps = 0;
    await bus(proxy.url).subscribe(
      (message) => heard.push(message),
      () => (gaps += 1),
    );
    await proxy.open();

    await waitFor(() => gaps === 1, { what: 'the gap was told' });
    bus(redis.url).publish(rows('t1', 1));
    await waitFor(() => heard.length === 1, { what: 'it hears' });
  });

  it('keeps deployments apart, and leaves out what is no message of ours, saying so', async () => {
    const heard: BusMessage[] = [];
    const log = recordingLogger();
    const reader = new RedisEventBus({ redisUrl: redis.url, prefix: `d${deployments}`, logger: log.logger });
    opened.push(reader);
    await reader.subscribe((message) => heard.push(message));
    const raw = new Redis(redis.url);
    const key = `d${deployments}:events`;
    await raw.xadd(key, '*', 'm', 'no json');
    await raw.xadd(key, '*', 'm', '{"kind":"news","tenantId":"acme"}');
    await raw.xadd(key, '*', 'other', 'field');
    await raw.quit();

    bus(redis.url, 'elsewhere').publish(rows('foreign', 1));
    bus(redis.url).publish(rows('t1', 1));

    await waitFor(() => heard.length > 0, { what: 'ours was heard' });
    expect(heard).toEqual([rows('t1', 1)]);
    expect(log.lines.map(({ msg }) => msg)).toEqual(Array(2).fill('a live event could not be read'));
  });

  it('bounds the stream', async () => {
    const worker = bus(redis.url);
    for (let n = 0; n < 15_000; n += 1) {
      worker.publish(deltaMessage(aDelta({ taskId: `t${n}`, text: 'x' })));
      if (n % 2_000 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
    }
    const key = `d${deployments}:events`;

    await waitFor(async () => (await streamLength(redis.url, key)) > 5_000, { what: 'much was sent' });
    await worker.close();
    expect(await streamLength(redis.url, key)).toBeLessThan(10_500);
  });

  it('closes in bounded time although Redis hangs', async () => {
    const [worker, gateway] = [bus(proxy.url), bus(proxy.url)];
    await gateway.subscribe(() => undefined);
    worker.publish(rows('t1', 1));
    await waitFor(async () => (await streamLength(redis.url, `d${deployments}:events`)) === 1, {
      what: 'it was sent',
    });

    proxy.hold();
    worker.publish(rows('t1', 2));
    await Promise.all([worker.close(), gateway.close()]);
    proxy.release();
  });
});

describe('on Postgres', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  const opened: EventBus[] = [];
  const bus = (databaseUrl: string, over: Partial<PostgresEventBusOptions> = {}): EventBus => {
    const one = new PostgresEventBus({ databaseUrl, logger, ...over });
    opened.push(one);
    return one;
  };
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    proxy = await new TcpProxy(database.url).open();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
    await proxy.cut();
  });

  eventBusContract('PostgresEventBus', () =>
    Promise.resolve({
      bus: () => new PostgresEventBus({ databaseUrl: database.url, logger }),
      close: () => Promise.resolve(),
    }),
  );

  it('hears again after the server ended its connection, and is told of the gap', async () => {
    const worker = bus(database.url);
    const heard: BusMessage[] = [];
    let gaps = 0;
    await bus(database.url).subscribe(
      (message) => heard.push(message),
      () => (gaps += 1),
    );

    await onDatabase(
      database.url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'bullpen bus%' AND datname = current_database()",
    );
    await waitFor(() => gaps === 1, { what: 'the gap was told' });
    worker.publish(rows('t1', 5));

    await waitFor(() => heard.length === 1, { what: 'it hears again' });
    expect(heard).toEqual([rows('t1', 5)]);
  });

  it('leaves out what is no message of ours, and says so', async () => {
    const heard: BusMessage[] = [];
    const log = recordingLogger();
    await bus(database.url, { logger: log.logger }).subscribe((message) => heard.push(message));
    await onDatabase(database.url, `NOTIFY bullpen_events, 'no json'`);
    await onDatabase(database.url, `NOTIFY bullpen_events, '[{"kind":"news","tenantId":"acme"}]'`);
    bus(database.url).publish(rows('t1', 1));
    await waitFor(() => heard.length > 0, { what: 'ours was heard' });
    expect(log.lines.map(({ msg }) => msg)).toEqual(Array(2).fill('a live event could not be read'));
  });

  it('sends nudges that met a broken connection once the server is back, and drops the deltas', async () => {
    const worker = bus(proxy.url);
    const heard: BusMessage[] = [];
    await bus(database.url).subscribe((message) => heard.push(message));
    worker.publish(rows('t1', 1));
    await waitFor(() => heard.length === 1, { what: 'the first was heard' });

    await proxy.cut();
    worker.publish(deltaMessage(aDelta({ taskId: 't1' })));
    worker.publish(rows('t1', 2));
    await new Promise((resolve) => setTimeout(resolve, 300));
    worker.publish(rows('t1', 3));
    await proxy.open();

    await waitFor(() => heard.some((message) => message.kind === 'rows' && message.seq === 3), {
      what: 'the newest was heard',
    });
    expect(heard).toEqual([rows('t1', 1), rows('t1', 3)]);
  });

  it('notices a listening connection that went silent without being closed', async () => {
    const heard: BusMessage[] = [];
    let gaps = 0;
    await bus(proxy.url, { heartbeatMs: 200 }).subscribe(
      (message) => heard.push(message),
      () => (gaps += 1),
    );

    proxy.silence();

    await waitFor(() => gaps === 1, { what: 'the gap was told' });
    bus(database.url).publish(rows('t1', 1));
    await waitFor(() => heard.length === 1, { what: 'it hears again' });
  });

  it('subscribes within its bound when Postgres is away, and is told of the gap when it is there', async () => {
    await proxy.cut();
    let gaps = 0;
    await bus(proxy.url).subscribe(
      () => undefined,
      () => (gaps += 1),
    );
    await proxy.open();

    await waitFor(() => gaps === 1, { what: 'the gap was told' });
  });

  it('gathers what is published within a moment into few notifications, and merges the nudges of a task', async () => {
    const listener = new Client({ connectionString: database.url });
    await listener.connect();
    const payloads: string[] = [];
    listener.on('notification', ({ payload }) => payloads.push(payload ?? ''));
    await listener.query('LISTEN bullpen_events');
    const worker = bus(database.url);

    for (let seq = 1; seq <= 100; seq += 1) worker.publish(rows('t1', seq));
    worker.publish(rows('t2', 1));

    await waitFor(() => payloads.length > 0, { what: 'it was sent' });
    expect(payloads.map((payload) => JSON.parse(payload) as unknown)).toEqual([
      [rows('t1', 100), rows('t2', 1)],
    ]);
    await listener.end();
  });

  it('keeps large deltas below the limit of NOTIFY', async () => {
    const { logger: loud, lines } = recordingLogger();
    const worker = bus(database.url, { logger: loud });
    const listener = new Client({ connectionString: database.url });
    await listener.connect();
    const sizes: number[] = [];
    listener.on('notification', ({ payload }) => sizes.push(Buffer.byteLength(payload ?? '')));
    await listener.query('LISTEN bullpen_events');

    worker.publish(deltaMessage(aDelta({ text: '€'.repeat(30_000) })));
    worker.publish(deltaMessage(aDelta({ text: '\u0001'.repeat(30_000) })));

    await waitFor(() => sizes.reduce((sum, size) => sum + size, 0) > 270_000, { what: 'it was sent' });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(7_900);
    expect(lines).toEqual([]);
    await listener.end();
  });
});

async function streamLength(redisUrl: string, key: string): Promise<number> {
  const redis = new Redis(redisUrl);
  try {
    return await redis.xlen(key);
  } finally {
    redis.disconnect();
  }
}
