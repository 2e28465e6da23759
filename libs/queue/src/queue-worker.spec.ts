/**
 * Workers on both queues, and what they do when the queue is in trouble. Slow, because connections that hang or go silent are
 * given up only after their time limits, which are those of the product.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, type WakeJob } from '@bullpen/contracts';
import { silentLogger } from '@bullpen/platform';
import { testDatabase, testRedis, waitFor, type TestDatabase, type TestRedis } from '@bullpen/testing';
import { Queue, type Job } from 'bullmq';
import { BullTaskQueue } from './bull-task-queue.js';
import { backendFactory, bullOptions, QUEUE_NAME, type QueueConnection } from './connection.js';
import { QueueWorker, type QueueWorkerOptions } from './queue-worker.js';
import { wakeJobId } from './task-queue.js';
import { onDatabase } from './testing/sql.js';
import { BACKENDS, type Backend } from './testing/task-queue.contract.js';
import { aWake, recordingLogger } from './testing/builders.js';
import { TcpProxy } from './testing/tcp-proxy.js';

interface Closable {
  close(): Promise<void>;
}

/** Everything that the test opened, closed in reverse order. */
const opened: Closable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

function producer(connection: QueueConnection): BullTaskQueue {
  const queue = new BullTaskQueue({ source: { connection }, logger: silentLogger() });
  opened.push(queue);
  return queue;
}

function aWorker(connection: QueueConnection, over: Partial<QueueWorkerOptions> = {}): QueueWorker {
  const worker = new QueueWorker({
    connection,
    slots: 2,
    logger: silentLogger(),
    activate: () => Promise.resolve(),
    ...over,
  });
  opened.push({ close: () => worker.close(0) });
  worker.start();
  return worker;
}

/** Announces until it works, as the reconciler does, and returns the wake. */
async function announce(queue: BullTaskQueue): Promise<string> {
  const wake = aWake();
  await waitFor(async () => (await queue.announce([wake])).announced.length === 1, {
    what: 'the wake is announced',
  });
  return wake.taskId;
}

/** BullMQ's own queue, without our limits. */
function bareQueue(connection: QueueConnection): Queue {
  return new Queue(
    QUEUE_NAME,
    bullOptions(connection, 'producer'),
    backendFactory(connection),
  ) as unknown as Queue;
}

/** Waits until all is done that a worker on Redis had to say, and it waits for the next wake. */
async function untilIdle(connection: QueueConnection): Promise<void> {
  const queue = bareQueue(connection);
  opened.push({ close: () => queue.close() });
  await queue.waitUntilReady();
  const client = await queue.getBackend().client;
  const isIdle = async () =>
    (await queue.getActiveCount()) === 0 && /blocked_clients:[1-9]/.test(await client.info());
  await waitFor(isIdle, { what: 'the worker waits for the next wake' });
}

async function jobOf(connection: QueueConnection, id: string): Promise<Job | undefined> {
  const queue = bareQueue(connection);
  queue.on('error', () => undefined);
  try {
    await queue.waitUntilReady();
    return (await queue.getJob(id)) as Job | undefined;
  } finally {
    await queue.close();
  }
}

/** An activation that runs until it is let go. */
function held(): {
  activate: (wake: WakeJob, signal: AbortSignal) => Promise<void>;
  letGo: () => void;
  signals: AbortSignal[];
} {
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const signals: AbortSignal[] = [];
  return {
    letGo,
    signals,
    activate: async (_wake, signal) => {
      signals.push(signal);
      await gate;
    },
  };
}

describe.each(BACKENDS)('QueueWorker on %s', (_name, start) => {
  let backend: Backend;
  let connection: QueueConnection;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    connection = await backend.connection();
  });

  it('runs what was announced before and after it started, and keeps no result', async () => {
    const queue = producer(connection);
    const ran: WakeJob[] = [];
    const before = aWake({ wake: 4 });
    await waitFor(async () => (await queue.announce([before])).announced.length === 1, { what: 'announced' });

    aWorker(connection, { activate: (wake) => Promise.resolve(void ran.push(wake)) });
    await waitFor(() => ran.length === 1, { what: 'the first ran' });
    const after = aWake();
    await queue.announce([after]);
    await waitFor(() => ran.length === 2, { what: 'the second ran' });

    expect(ran).toEqual([
      { v: 1, taskId: before.taskId, wake: 4 },
      { v: 1, taskId: after.taskId, wake: 1 },
    ]);
    await waitFor(async () => (await queue.depth()).completed === 2, { what: 'both jobs are completed' });
    expect((await jobOf(connection, wakeJobId(before)))?.returnvalue ?? null).toBeNull();
  });

  it('runs as many wakes at once as it has slots', async () => {
    const queue = producer(connection);
    const { activate, letGo } = held();
    const worker = aWorker(connection, { slots: 3, activate });
    for (let n = 0; n < 5; n += 1) await announce(queue);

    await waitFor(() => worker.running() === 3, { what: 'all slots are taken' });
    await waitFor(async () => (await queue.depth()).waiting === 2, { what: 'the rest waits' });
    expect(worker.running()).toBe(3);

    letGo();
    await waitFor(async () => (await queue.depth()).completed === 5, { what: 'all ran' });
    expect(worker.running()).toBe(0);
  });

  it('runs a wake a second time when it is announced again: whether there is something to do is decided by the claim', async () => {
    const queue = producer(connection);
    let ran = 0;
    aWorker(connection, { activate: () => Promise.resolve(void (ran += 1)) });
    const wake = aWake();
    await waitFor(async () => (await queue.announce([wake])).announced.length === 1, { what: 'announced' });
    await waitFor(() => ran === 1, { what: 'it ran' });

    await queue.announce([wake]);
    await queue.announce([{ ...wake, tries: 1 }]);

    await waitFor(async () => (await queue.depth()).completed === 2, { what: 'the repeat ran' });
    expect(ran).toBe(2);
  });

  it('fails the job with the text of what activate threw, logs it and goes on', async () => {
    const queue = producer(connection);
    const { logger, lines } = recordingLogger();
    const bad = aWake();
    const ran: string[] = [];
    aWorker(connection, {
      logger,
      activate: ({ taskId }) => {
        ran.push(taskId);
        if (taskId === bad.taskId)
          throw new AppError('history_corrupt', 'History of the task has a hole at 7');
        return Promise.resolve();
      },
    });
    await waitFor(async () => (await queue.announce([bad])).announced.length === 1, { what: 'announced' });
    const good = await announce(queue);

    await waitFor(() => ran.length === 2 && ran.includes(good), { what: 'both ran' });
    await waitFor(async () => (await queue.depth()).failed === 1, { what: 'the job failed' });
    const job = await jobOf(connection, wakeJobId(bad));
    expect(job?.failedReason).toBe('History of the task has a hole at 7');
    expect(job?.attemptsMade).toBe(1);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'error', msg: 'wake failed', jobId: wakeJobId(bad) }),
    );
  });

  it.each([
    ['text', new Error('plain')],
    ['no error', 'a string'],
  ])('fails the job also when activate throws %s', async (_what, thrown) => {
    const queue = producer(connection);
    aWorker(connection, { activate: () => Promise.reject(thrown as Error) });
    await announce(queue);

    await waitFor(async () => (await queue.depth()).failed === 1, { what: 'the job failed' });
  });

  it('fails a job whose payload is no wake-up, and goes on', async () => {
    const queue = producer(connection);
    const ran: string[] = [];
    const { logger, lines } = recordingLogger();
    await announce(queue);
    const raw = bareQueue(connection);
    opened.push({ close: () => raw.close() });
    await raw.waitUntilReady();
    await raw.add('wake', { v: 2, who: 'knows' }, { jobId: 'strange' });
    const good = await announce(queue);

    aWorker(connection, { logger, activate: ({ taskId }) => Promise.resolve(void ran.push(taskId)) });

    await waitFor(() => ran.length === 2 && ran.includes(good), { what: 'the good ones ran' });
    await waitFor(async () => (await queue.depth()).failed === 1, { what: 'the strange one failed' });
    expect((await jobOf(connection, 'strange'))?.failedReason).toMatch(/^Job strange carries no wake-up/);
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', jobId: 'strange' }));
  });

  it('stops fetching when it is paused, and lets what runs go on', async () => {
    const queue = producer(connection);
    const { activate, letGo } = held();
    const worker = aWorker(connection, { activate });
    await announce(queue);
    await waitFor(() => worker.running() === 1, { what: 'it runs' });

    await worker.pause();
    await announce(queue);
    letGo();

    await waitFor(async () => (await queue.depth()).completed === 1, { what: 'the running one ended' });
    const other = aWorker(connection, { activate: () => Promise.resolve() });
    await waitFor(async () => (await queue.depth()).completed === 2, {
      what: 'the other worker took the rest',
    });
    await worker.close(1_000);
    await other.close(1_000);
  });

  it('closes as soon as running activations have ended', async () => {
    const queue = producer(connection);
    const { activate, letGo, signals } = held();
    const worker = aWorker(connection, { activate });
    await announce(queue);
    await waitFor(() => worker.running() === 1, { what: 'it runs' });

    // Until it has stopped fetching, it may take what comes.
    await worker.pause();
    const closing = worker.close(20_000);
    await announce(queue);
    letGo();
    await closing;

    expect(worker.running()).toBe(0);
    expect(signals.map((signal) => signal.aborted)).toEqual([false]);
    await waitFor(
      async () => {
        const { completed, waiting, active } = await queue.depth();
        return completed === 1 && waiting === 1 && active === 0;
      },
      { what: 'the running one was completed, the new one not taken' },
    );
  });

  it('aborts what is still running at its deadline, and does not wait for what ignores it', async () => {
    const queue = producer(connection);
    const { activate, letGo, signals } = held();
    const worker = aWorker(connection, { activate });
    await announce(queue);
    await waitFor(() => worker.running() === 1, { what: 'it runs' });

    // Whoever waited for it would wait forever, or the minute of the second call.
    await Promise.all([worker.close(300), worker.close(60_000)]);

    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
    letGo();
  });

  it('closes although it was never started', async () => {
    const worker = new QueueWorker({
      connection,
      slots: 1,
      logger: silentLogger(),
      activate: () => Promise.resolve(),
    });

    await expect(worker.close(1_000)).resolves.toBeUndefined();
  });
});

describe('QueueWorker and a Redis in trouble', () => {
  let redis: TestRedis;
  let connection: QueueConnection;
  beforeEach(async () => {
    redis = await testRedis();
    opened.push({ close: () => redis.stop() });
    connection = { kind: 'redis', redisUrl: redis.url, prefix: 'trouble' };
  });

  it('starts without Redis and works once it is there', async () => {
    await redis.kill();
    const ran: string[] = [];
    aWorker(connection, { activate: ({ taskId }) => Promise.resolve(void ran.push(taskId)) });
    await redis.restart();

    const taskId = await announce(producer(connection));

    await waitFor(() => ran.includes(taskId), { what: 'it ran' });
  });

  it('closes in bounded time when Redis was never there', async () => {
    await redis.kill();
    const worker = aWorker(connection);
    await expect(worker.close(500)).resolves.toBeUndefined();
  });

  it.each(['idle', 'busy'])('runs the next wake after Redis was restarted while it was %s', async (state) => {
    const queue = producer(connection);
    const ran: string[] = [];
    const { activate, letGo } = held();
    const worker = aWorker(connection, {
      activate: async (wake, signal) => {
        ran.push(wake.taskId);
        if (ran.length === 1 && state === 'busy') await activate(wake, signal);
      },
    });
    const first = await announce(queue);
    await waitFor(() => ran.includes(first), { what: 'the first runs' });
    await waitFor(() => worker.running() === (state === 'busy' ? 1 : 0), { what: 'the worker is as wanted' });

    await redis.kill();
    if (state === 'busy') letGo();
    await waitFor(() => worker.running() === 0, { what: 'nothing runs' });
    await redis.restart();
    const second = await announce(queue);

    await waitFor(() => ran.includes(second), { what: 'the second ran' });
  });

  it('forgets what a flush took, and runs what is announced again', async () => {
    const queue = producer(connection);
    const { activate, letGo } = held();
    const ran: string[] = [];
    const worker = aWorker(connection, {
      slots: 1,
      activate: async (wake, signal) => {
        ran.push(wake.taskId);
        if (ran.length === 1) await activate(wake, signal);
      },
    });
    await announce(queue);
    await waitFor(() => worker.running() === 1, { what: 'the first runs' });
    const lost = aWake();
    await queue.announce([lost]);

    await redis.flush();
    letGo();
    await waitFor(() => worker.running() === 0, { what: 'nothing runs' });
    await queue.announce([{ ...lost, tries: 1 }]);

    await waitFor(() => ran.includes(lost.taskId), { what: 'the lost one ran' });
    expect(ran).toHaveLength(2);
  });

  it('hears again after its connections went silent without being closed', async () => {
    const proxy = await new TcpProxy(redis.url).open();
    opened.push({ close: () => proxy.cut() });
    const ran: string[] = [];
    aWorker(
      { ...connection, kind: 'redis', redisUrl: proxy.url, prefix: 'trouble' },
      {
        activate: ({ taskId }) => Promise.resolve(void ran.push(taskId)),
      },
    );
    const queue = producer(connection);
    const first = await announce(queue);
    await waitFor(() => ran.includes(first), { what: 'the first ran' });
    // An answer that is lost on its way may have taken the next wake with it, which then is the reconciler's to find.
    await untilIdle(connection);

    proxy.silence();
    const second = await announce(queue);

    await waitFor(() => ran.includes(second), { what: 'the second ran' });
  });
});

describe('QueueWorker and a Postgres in trouble', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let connection: QueueConnection;
  beforeEach(async () => {
    database = await testDatabase();
    opened.push({ close: () => database.drop() });
    proxy = await new TcpProxy(database.url).open();
    opened.push({ close: () => proxy.cut() });
    connection = { kind: 'postgres', databaseUrl: proxy.url };
  });

  it('starts without Postgres and works once it is there', async () => {
    await proxy.cut();
    const ran: string[] = [];
    const { logger, lines } = recordingLogger();
    aWorker(connection, { logger, activate: ({ taskId }) => Promise.resolve(void ran.push(taskId)) });
    await waitFor(() => lines.length > 0, { what: 'the worker met no server' });
    await proxy.open();

    const taskId = await announce(producer(connection));

    await waitFor(() => ran.includes(taskId), { what: 'it ran' });
  });

  it('runs the next wake after the connections broke and the server was away', async () => {
    const queue = producer(connection);
    const ran: string[] = [];
    aWorker(connection, { activate: ({ taskId }) => Promise.resolve(void ran.push(taskId)) });
    const first = await announce(queue);
    await waitFor(() => ran.includes(first), { what: 'the first ran' });

    await proxy.cut();
    await proxy.open();
    const second = await announce(queue);

    await waitFor(() => ran.includes(second), { what: 'the second ran' });
  });

  it('does not fetch in a frenzy while the server takes no connections, and works when it does', async () => {
    const queue = producer(connection);
    const ran: string[] = [];
    const { logger, lines } = recordingLogger();
    aWorker(connection, { logger, activate: ({ taskId }) => Promise.resolve(void ran.push(taskId)) });
    const first = await announce(queue);
    await waitFor(() => ran.includes(first), { what: 'the first ran' });

    const admin = new URL(database.url);
    const name = admin.pathname.slice(1);
    admin.pathname = '/postgres';
    const before = await connectionsSoFar(admin.href, name);
    await onDatabase(admin.href, `ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`);
    await onDatabase(
      admin.href,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
      [name],
    );
    await waitFor(() => lines.some(({ msg }) => msg === 'worker connection'), { what: 'the worker noticed' });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await onDatabase(admin.href, `ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
    const second = await announce(queue);

    await waitFor(() => ran.includes(second), { what: 'the second ran' });
    expect(lines.length).toBeLessThan(20);
    expect((await connectionsSoFar(admin.href, name)) - before).toBeLessThan(60);
  });
});

/** Sessions that the server has had on that database. */
async function connectionsSoFar(adminUrl: string, name: string): Promise<number> {
  const [row] = await onDatabase(adminUrl, 'SELECT sessions FROM pg_stat_database WHERE datname = $1', [
    name,
  ]);
  return Number(row?.['sessions'] ?? 0);
}
