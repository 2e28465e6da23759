/**
 * Announcing wakes on both queues, and while the queue is in trouble. Slow, because servers that hang are given up only after
 * their time limits.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WakeJob } from '@bullpen/contracts';
import { silentLogger } from '@bullpen/platform';
import { testDatabase, testRedis, waitFor, type TestRedis } from '@bullpen/testing';
import { MIGRATION_ADVISORY_LOCK_KEY, Queue, type RedisQueueBackend } from 'bullmq';
import { Client } from 'pg';
import { BullTaskQueue, closeQueue, type BullTaskQueueOptions } from './bull-task-queue.js';
import {
  backendFactory,
  bullOptions,
  installDefaultBackend,
  nestBullRootOptions,
  QUEUE_NAME,
  type QueueConnection,
} from './connection.js';
import { wakeJobId } from './task-queue.js';
import { onDatabase } from './testing/sql.js';

import { aWake, recordingLogger } from './testing/builders.js';
import { BACKENDS, taskQueueContract, type Backend } from './testing/task-queue.contract.js';
import { TcpProxy } from './testing/tcp-proxy.js';

/** A look at the jobs from outside, as a dashboard has it. */
function rawQueue(connection: QueueConnection): Queue {
  const queue = new Queue(
    QUEUE_NAME,
    bullOptions(connection, 'producer'),
    backendFactory(connection),
  ) as unknown as Queue;
  queue.on('error', () => undefined);
  return queue;
}

async function waitingJobs(queue: Queue): Promise<WakeJob[]> {
  const jobs = await queue.getJobs(['waiting'], 0, -1, true);
  return jobs.map((job) => WakeJob.parse(job.data));
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** With time enough for the first connect to a Postgres of a busy machine, which creates the tables. */
function patientQueue(source: BullTaskQueueOptions['source']): BullTaskQueue {
  return new BullTaskQueue({ source, logger: silentLogger(), timeoutMs: 15_000 });
}

describe.each(BACKENDS)('BullTaskQueue on %s', (name, start) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());

  taskQueueContract(name, async () => {
    const connection = await backend.connection();
    const queue = patientQueue({ connection });
    const raw = rawQueue(connection);
    await raw.waitUntilReady();
    return {
      queue,
      waiting: () => waitingJobs(raw),
      close: async () => {
        await queue.close();
        await raw.close();
      },
    };
  });

  it('stores one attempt, bounded removal and a pointer of few bytes with each job', async () => {
    const connection = await backend.connection();
    const queue = patientQueue({ connection });
    const raw = rawQueue(connection);
    const wakes = [aWake(), aWake()];
    try {
      await queue.announce(wakes);
      await queue.announce([aWake()]);

      const jobs = await raw.getJobs(['waiting']);
      expect(jobs).toHaveLength(3);
      for (const job of jobs) {
        expect(job.opts).toMatchObject({
          attempts: 1,
          removeOnComplete: { count: 1_000 },
          removeOnFail: { count: 5_000 },
        });
        expect(JSON.stringify(job.data).length).toBeLessThan(100);
      }
      expect(jobs.map((job) => job.id)).toEqual(expect.arrayContaining(wakes.map(wakeJobId)));
    } finally {
      await queue.close();
      await raw.close();
    }
  });

  it('uses a queue that was handed in, and leaves it open', async () => {
    const connection = await backend.connection();
    installDefaultBackend(connection);
    const shared = new Queue(QUEUE_NAME, nestBullRootOptions(connection));
    installDefaultBackend({ kind: 'redis', redisUrl: '', prefix: '' });
    const queue = patientQueue({ queue: shared });
    try {
      const wake = aWake();
      expect(await queue.announce([wake])).toEqual({ announced: [wake], failed: [] });
      await queue.close();

      expect(await waitingJobs(shared)).toEqual([{ v: 1, taskId: wake.taskId, wake: 1 }]);
    } finally {
      await shared.close();
    }
  });
});

describe('BullTaskQueue and a Redis in trouble', () => {
  let redis: TestRedis;
  let proxy: TcpProxy;
  let queue: BullTaskQueue;
  beforeEach(async () => {
    redis = await testRedis();
    proxy = await new TcpProxy(redis.url).open();
    await proxy.cut();
    const connection = { kind: 'redis', redisUrl: proxy.url, prefix: 'trouble' } as const;
    queue = new BullTaskQueue({ source: { connection }, logger: silentLogger() });
  });
  afterEach(async () => {
    await queue.close();
    await proxy.cut();
    await redis.stop();
  });

  it('fails announcements within the bound while Redis was never there, and announces once it is', async () => {
    const wake = aWake();

    expect(await queue.announce([wake])).toEqual({ announced: [], failed: [wake] });
    await proxy.open();

    await waitFor(async () => (await queue.announce([{ ...wake, tries: 1 }])).announced.length === 1, {
      what: 'the queue is reachable',
    });
  });

  it('fails at once when Redis went away, and recovers when it is back', async () => {
    await proxy.open();
    await queue.close();
    // Whoever waited for the bound would be told from whoever fails at once, on a busy machine as well.
    const connection = { kind: 'redis', redisUrl: proxy.url, prefix: 'trouble' } as const;
    queue = patientQueue({ connection });
    await queue.announce([aWake()]);
    await redis.kill();

    await waitFor(async () => (await queue.announce([aWake()])).failed.length === 1, {
      what: 'the loss was noticed',
    });
    expect(await elapsedMs(() => queue.announce([aWake()]))).toBeLessThan(10_000);
    await redis.restart();

    await waitFor(async () => (await queue.announce([aWake()])).announced.length === 1, {
      what: 'the queue is reachable',
    });
  });

  it('does not hang on a Redis that hangs', async () => {
    await proxy.open();
    await queue.announce([aWake()]);
    proxy.hold();
    const wakes = [aWake(), aWake()];

    expect(await queue.announce(wakes)).toEqual({ announced: [], failed: wakes });
    await expect(queue.ping()).rejects.toMatchObject({ code: 'queue_unreachable', retryable: true });
    await expect(queue.depth()).rejects.toMatchObject({ code: 'queue_unreachable' });
    proxy.release();

    await waitFor(async () => (await queue.announce([aWake()])).announced.length === 1, {
      what: 'the queue is reachable',
    });
  });

  it('announces over a new connection after the old one went silent without being closed', async () => {
    await proxy.open();
    expect((await queue.announce([aWake()])).failed).toEqual([]);
    proxy.silence();
    expect((await queue.announce([aWake()])).announced).toEqual([]);

    await waitFor(async () => (await queue.announce([aWake()])).announced.length === 1, {
      what: 'a new connection is used',
    });
  });

  it('closes in bounded time although Redis hangs', async () => {
    await proxy.open();
    await queue.announce([aWake()]);
    proxy.hold();

    await expect(queue.close()).resolves.toBeUndefined();
    proxy.release();
  });

  it('leaves no connection that looks for Redis for ever when it is closed while that is away', async () => {
    await proxy.open();
    const raw = rawQueue({ kind: 'redis', redisUrl: proxy.url, prefix: 'trouble' });
    await raw.waitUntilReady();
    const client = await (raw.getBackend() as RedisQueueBackend).client;
    await proxy.cut();
    const retries = () => Reflect.get(client, 'reconnectTimeout') !== null;
    await waitFor(() => client.status === 'reconnecting' && retries(), { what: 'the loss' });
    await closeQueue(raw);
    // The timer of its next try.
    expect(retries()).toBe(false);
  });

  it('announces a wake again under the id of its first time after Redis lost everything', async () => {
    await proxy.open();
    const wake = aWake();
    await queue.announce([wake]);
    await redis.flush();

    expect((await queue.depth()).waiting).toBe(0);
    await queue.announce([wake]);
    await queue.announce([{ ...wake, tries: 1 }]);

    expect((await queue.depth()).waiting).toBe(2);
  });

  it('says once in a while that it cannot announce, and not for every try', async () => {
    const { logger, lines } = recordingLogger();
    const connection = { kind: 'redis', redisUrl: proxy.url, prefix: 'trouble' } as const;
    const loud = new BullTaskQueue({ source: { connection }, logger, timeoutMs: 50 });
    for (let n = 0; n < 10; n += 1) await loud.announce([aWake()]);
    await loud.close();

    expect(lines.filter(({ msg }) => msg.startsWith('could not announce'))).toHaveLength(1);
  });
});

describe('BullTaskQueue and a Postgres in trouble', () => {
  it('announces once Postgres is there, although its first connect failed', async () => {
    const database = await testDatabase();
    const proxy = await new TcpProxy(database.url).open();
    await proxy.cut();
    const connection = { kind: 'postgres', databaseUrl: proxy.url } as const;
    const queue = new BullTaskQueue({ source: { connection }, logger: silentLogger() });
    try {
      const wake = aWake();
      expect(await queue.announce([wake])).toEqual({ announced: [], failed: [wake] });
      await proxy.open();

      await waitFor(async () => (await queue.announce([wake])).announced.length === 1, {
        what: 'the queue is reachable',
      });
    } finally {
      await queue.close();
      await proxy.cut();
      await database.drop();
    }
  });

  it('survives the loss of the connection on which BullMQ prepares its tables', async () => {
    const database = await testDatabase();
    const connection = { kind: 'postgres', databaseUrl: database.url } as const;
    const blocker = new Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query("SELECT pg_advisory_lock($1, hashtext('bullmq'))", [MIGRATION_ADVISORY_LOCK_KEY]);
    const queue = new BullTaskQueue({ source: { connection }, logger: silentLogger() });
    try {
      const wake = aWake();
      const announced = queue.announce([wake]);
      // The connection waits for the lock of the migrations when its server process is ended.
      await waitFor(
        async () => {
          const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'advisory'`;
          return ((await blocker.query(sql)).rowCount ?? 0) > 0;
        },
        { what: 'BullMQ prepares its tables' },
      );
      expect(await announced).toEqual({ announced: [], failed: [wake] });
      await blocker.query('SELECT pg_advisory_unlock_all()');
      await waitFor(async () => (await queue.announce([wake])).announced.length === 1, {
        what: 'the queue is reachable',
      });
    } finally {
      await blocker.end();
      await queue.close();
      await database.drop();
    }
  });

  it('does not hang on a Postgres that hangs, and announces over a new connection', async () => {
    const database = await testDatabase();
    const proxy = await new TcpProxy(database.url).open();
    const connection = { kind: 'postgres', databaseUrl: proxy.url } as const;
    const queue = new BullTaskQueue({ source: { connection }, logger: silentLogger() });
    try {
      await waitFor(async () => (await queue.announce([aWake()])).announced.length === 1, {
        what: 'the schema is there',
      });
      proxy.silence();

      expect((await queue.announce([aWake()])).announced).toEqual([]);
      await waitFor(async () => (await queue.announce([aWake()])).announced.length === 1, {
        what: 'a new connection is used',
      });
    } finally {
      await queue.close();
      await proxy.cut();
      await database.drop();
    }
  });

  it('creates its tables in a schema of its own', async () => {
    const database = await testDatabase();
    const queue = new BullTaskQueue({
      source: { connection: { kind: 'postgres', databaseUrl: database.url } },
      logger: silentLogger(),
    });
    try {
      await waitFor(async () => (await queue.announce([aWake()])).announced.length === 1, {
        what: 'the schema is there',
      });

      const tables = await onDatabase(
        database.url,
        "SELECT 1 FROM pg_tables WHERE schemaname = 'bullmq' AND tablename = 'job'",
      );
      expect(tables).toHaveLength(1);
    } finally {
      await queue.close();
      await database.drop();
    }
  });
});

describe('a Redis that answers and takes no writes', () => {
  let redis: TestRedis;
  let queue: BullTaskQueue;
  beforeEach(async () => {
    redis = await testRedis();
    queue = patientQueue({ connection: { kind: 'redis', redisUrl: redis.url, prefix: 'full' } });
    await queue.ping();
  });
  afterEach(async () => {
    await queue.close();
    await redis.stop();
  });

  it.each([
    ['its memory is full', ['CONFIG SET maxmemory-policy noeviction', 'CONFIG SET maxmemory 1'], /OOM/],
    ['it is a replica', ['REPLICAOF 127.0.0.1 1'], /READONLY/],
  ])('fails its ping, and says why: %s', async (_, commands, why) => {
    for (const command of commands) await redis.command(command);
    const failure = (): Promise<string> =>
      queue.ping().then(
        () => '',
        (error: Error) => error.message,
      );
    await waitFor(async () => why.test(await failure()), { what: 'a ping that fails' });
    await expect(queue.ping()).rejects.toMatchObject({ code: 'queue_unreachable', retryable: true });
  });
});
