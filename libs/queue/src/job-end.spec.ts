import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { WakeJob } from '@bullpen/contracts';
import { silentLogger } from '@bullpen/platform';
import { waitFor } from '@bullpen/testing';
import { Worker, type Job, type Queue } from 'bullmq';
import { BullTaskQueue } from './bull-task-queue.js';
import {
  backendFactory,
  bullOptions,
  openBullQueue,
  QUEUE_NAME,
  type QueueConnection,
} from './connection.js';
import { QueueWorker, type WakeEnd } from './queue-worker.js';
import { wakeJobId } from './task-queue.js';
import { aWake, recordingLogger } from './testing/builders.js';
import { BACKENDS, type Backend } from './testing/task-queue.contract.js';

describe.each(BACKENDS)('jobs of failed tasks on %s', (_name, start) => {
  let backend: Backend;
  let connection: QueueConnection;
  let queue: BullTaskQueue;
  let raw: Queue;
  let worker: QueueWorker | null;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    connection = await backend.connection();
    raw = openBullQueue(connection);
    raw.on('error', () => undefined);
    await raw.waitUntilReady();
    queue = new BullTaskQueue({ source: { connection }, logger: silentLogger(), timeoutMs: 15_000 });
    worker = null;
  });
  afterEach(async () => {
    await worker?.close(0);
    await queue.close();
    await raw.close();
  });

  /** A worker whose tasks end as the list says, first runs and presses of the button apart. */
  function aWorker(ends: WakeEnd[], logger = silentLogger()) {
    const seen: (readonly ['activate' | 'reactivate', WakeJob])[] = [];
    const next = (how: 'activate' | 'reactivate') => (wake: WakeJob) => {
      seen.push([how, wake]);
      return Promise.resolve(ends.shift());
    };
    worker = new QueueWorker({
      connection,
      slots: 1,
      logger,
      activate: next('activate'),
      reactivate: next('reactivate'),
    });
    worker.start();
    return seen;
  }
  const job = async (id: string) => (await raw.getJob(id)) as Job;
  const inState = (id: string, state: string) =>
    waitFor(async () => (await (await job(id)).getState()) === state, { what: `${id} to be ${state}` });

  it('end as failed with the reason of the task, which is no error of the worker', async () => {
    const { logger, lines } = recordingLogger();
    aWorker([{ failed: 'turn_limit: It used all 5 turns.' }], logger);
    const wake = aWake();
    await queue.announce([wake]);

    await inState(wakeJobId(wake), 'failed');

    expect((await job(wakeJobId(wake))).failedReason).toBe('turn_limit: It used all 5 turns.');
    await waitFor(() => lines.some(({ msg }) => msg === 'the job of a failed task ended as failed'), {
      what: 'the line',
    });
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it.each([
    ['one job', (failed: Job) => failed.retry()],
    [
      'one job, its tries forgotten',
      (failed: Job) => failed.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true }),
    ],
    ['all failed jobs', () => raw.retryJobs({ state: 'failed' })],
  ])('are told apart when the retry button is pressed: %s', async (_what, press) => {
    const seen = aWorker([{ failed: 'first' }, { failed: 'second' }, undefined]);
    const wake = aWake();
    const pointer = { v: 1 as const, taskId: wake.taskId, wake: 1 };
    await queue.announce([wake]);
    await inState(wakeJobId(wake), 'failed');

    await press(await job(wakeJobId(wake)));
    await waitFor(async () => (await job(wakeJobId(wake))).failedReason === 'second', { what: 'refusal' });
    await press(await job(wakeJobId(wake)));
    await inState(wakeJobId(wake), 'completed');

    expect(seen).toEqual([
      ['activate', pointer],
      ['reactivate', pointer],
      ['reactivate', pointer],
    ]);
  });

  it('are not taken for pressed when the wake is only announced again', async () => {
    const seen = aWorker([{ failed: 'first' }, undefined]);
    const wake = aWake();
    await queue.announce([wake]);
    await inState(wakeJobId(wake), 'failed');

    await queue.announce([{ ...wake, tries: 1 }]);
    await inState(wakeJobId({ ...wake, tries: 1 }), 'completed');

    expect(seen.map(([how]) => how)).toEqual(['activate', 'activate']);
  });

  it('that lost their worker fail without being run, and are not taken for pressed before', async () => {
    const wake = aWake();
    await queue.announce([wake]);
    // Another worker takes it and is never heard of again; somebody looks for such jobs.
    const lost = new Worker(
      QUEUE_NAME,
      null,
      { ...bullOptions(connection, 'worker'), lockDuration: 50, stalledInterval: 100, maxStalledCount: 0 },
      backendFactory(connection),
    );
    lost.on('error', () => undefined);
    await lost.waitUntilReady();
    expect((await lost.getNextJob('token', { block: false }))?.id).toBe(wakeJobId(wake));
    await lost.startStalledCheckTimer();
    await inState(wakeJobId(wake), 'waiting');
    await lost.close(true);
    const seen = aWorker([undefined]);

    await inState(wakeJobId(wake), 'failed');
    expect(seen).toEqual([]);
    await (await job(wakeJobId(wake))).retry();
    await inState(wakeJobId(wake), 'completed');

    expect(seen.map(([how]) => how)).toEqual(['reactivate']);
  });

  it('that only show a delay do nothing when their time has come', async () => {
    const seen = aWorker([]);
    const shown = aWake();
    await queue.showDelayed([{ ...shown, dueInMs: 300 }]);
    expect((await queue.depth()).delayed).toBe(1);

    await waitFor(async () => (await queue.depth()).delayed === 0, { what: 'the time to come' });
    const real = aWake();
    await queue.announce([real]);
    await inState(wakeJobId(real), 'completed');

    expect(seen).toEqual([['activate', { v: 1, taskId: real.taskId, wake: 1 }]]);
    expect(await queue.depth()).toMatchObject({ active: 0, failed: 0, completed: 1 });
  });
});
