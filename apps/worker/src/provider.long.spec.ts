/**
 * What becomes of tasks when the provider refuses a key or asks for a pause: real workers, both queue backends, the simulator
 * as witness. Slow, because every refusal is tried on both backends, and the pauses that providers ask for are whole seconds.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyStep, NO_SECRETS } from '@bullpen/core';
import { builtInAgents } from '@bullpen/extensions';
import { defineScenario, startModelSim, type Fault, type ModelSim } from '@bullpen/model-sim';
import { newId, parseEnv, silentLogger, workerSettings } from '@bullpen/platform';
import { Announcer, openEventBus, openTaskQueue, type EventBus, type TaskQueue } from '@bullpen/queue';
import {
  checkInvariants,
  createPool,
  Dispatches,
  PostgresTaskStore,
  ProviderKeys,
  providerKeyOf,
  TaskCommands,
} from '@bullpen/store';
import {
  aModelCall,
  queueBackends,
  testDatabase,
  waitFor,
  type TestDatabase,
  type TestRedis,
} from '@bullpen/testing';
import { startWorker, type RunningWorker } from './compose.js';

/** The prompt `read N`: N turns with a tool call, then the end. */
const scenario = defineScenario({
  name: 'provider-spec',
  agents: {
    general: ({ prompt, turnIndex }) => {
      const turns = Number(prompt?.split(' ')[1]);
      if (turnIndex >= turns) return { text: `read ${turns}` };
      return { toolCalls: [{ name: 'list_files', input: { depth: turnIndex + 1 } }] };
    },
  },
});

for (const backend of queueBackends()) {
  backend.describe('provider keys', () => {
    let database: TestDatabase;
    let redis: TestRedis | null;
    let sim: ModelSim;
    let pool: ReturnType<typeof createPool>;
    let home: string;
    let queue: TaskQueue;
    let bus: EventBus;
    let commands: TaskCommands;
    let keys: ProviderKeys;
    let workers: RunningWorker[];

    beforeAll(async () => {
      [database, redis, home] = await Promise.all([
        testDatabase(),
        backend.start(),
        mkdtemp(join(tmpdir(), 'bullpen-provider-')),
      ]);
      pool = createPool({ databaseUrl: database.url, max: 6, applicationName: 'provider-spec' });
      const connection = redis
        ? ({ kind: 'redis', redisUrl: redis.url, prefix: 'spec' } as const)
        : ({ kind: 'postgres', databaseUrl: database.url } as const);
      const logger = silentLogger();
      [queue, bus] = [openTaskQueue(connection, logger, 15_000), openEventBus(connection, logger)];
      const announcer = new Announcer({
        queue,
        bus,
        logger,
        backlog: new Dispatches(pool),
      });
      const onCommitted: Announcer['committed'] = (effects) => announcer.committed(effects);
      commands = new TaskCommands({ pool, newId, onCommitted });
      keys = new ProviderKeys({
        pool,
        onCommitted,
        onChanged: (key) => bus.publish({ kind: 'provider', key }),
      });
      await pool.query(`INSERT INTO tenants (id, name) VALUES ('default', 'D')`);
    });
    // A simulator of its own for each test, and so a provider key of its own.
    beforeEach(async () => {
      workers = [];
      sim = await startModelSim({ scenarios: [scenario], speed: 'max' });
    });
    afterEach(async () => {
      for (const worker of workers) await stop(worker);
      await sim.close();
    });
    afterAll(async () => {
      await Promise.all([queue.close(), bus.close(), pool.end()]);
      await Promise.all([database.drop(), redis?.stop(), rm(home, { recursive: true, force: true })]);
    });

    async function start(env: Record<string, string> = {}): Promise<RunningWorker> {
      const settings = parseEnv(workerSettings, {
        ...{
          DATABASE_URL: database.url,
          BULLPEN_HOME: home,
          ANTHROPIC_API_KEY: 'a',
          ANTHROPIC_BASE_URL: sim.url,
        },
        ...(redis ? { REDIS_URL: redis.url, QUEUE_PREFIX: 'spec' } : {}),
        ...env,
      });
      const worker = await startWorker({
        settings: { ...settings, DATABASE_URL: database.url },
        logger: silentLogger(),
        masker: NO_SECRETS,
        version: '0',
        commandPath: '/usr/bin:/bin',
      });
      workers.push(worker);
      return worker;
    }
    async function stop(worker: RunningWorker): Promise<void> {
      workers = workers.filter((other) => other !== worker);
      for (const step of worker.shutdownSteps) await step.run();
    }

    async function submit(prompt: string): Promise<string> {
      const id = newId('task');
      const agent = builtInAgents().find(({ name }) => name === 'general');
      if (!agent) throw new Error('no general agent');
      await commands.create({
        ...{ id, tenantId: 'default', title: prompt, prompt, input: null, workspace: { kind: 'empty' } },
        definition: { ...agent, model: 'claude-sonnet-5-5' },
        ...{ priority: 0, runAt: null, tags: [], metadata: {} },
      });
      return id;
    }
    const submitAll = (count: number, prompt: string) =>
      Promise.all(Array.from({ length: count }, () => submit(prompt)));

    const look = async (ids: readonly string[]) =>
      (
        await pool.query<{ state: string; wait_reason: string | null; attempt: number; output: unknown }>(
          'SELECT state, wait_reason, attempt, output FROM tasks WHERE id = ANY ($1)',
          [ids],
        )
      ).rows;
    const reach = (ids: readonly string[], state: string) =>
      waitFor(async () => (await look(ids)).every((task) => task.state === state), {
        what: `${ids.length} tasks to be ${state}`,
      });
    /** What stands in the histories about waiting for the provider. */
    const reasons = async (ids: readonly string[]) =>
      (
        await pool.query<{ task_id: string; message: string }>(
          `SELECT DISTINCT task_id, data ->> 'message' AS message FROM ui_events WHERE type = 'provider.waiting' AND task_id = ANY ($1)`,
          [ids],
        )
      ).rows;
    async function expectWhole(ids: readonly string[], output: string): Promise<void> {
      const done = { state: 'completed', wait_reason: null, attempt: 1, output };
      expect(await look(ids)).toEqual(ids.map(() => done));
      expect((await checkInvariants(pool)).filter(({ holds }) => !holds)).toEqual([]);
    }
    const key = (apiKey = 'a') => providerKeyOf(sim.url, apiKey);

    it('after a 401 all tasks wait, nothing more is sent, not even after a restart, and all go on when the key is resumed', async () => {
      const worker = await start({ WORKER_SLOTS: '1' });
      const before = await submit('read 1');
      await reach([before], 'completed');
      const paid = sim.requests().length;
      sim.injectFaults([{ kind: 'authentication_error' }]);

      const ids = await submitAll(5, 'read 2');
      // One slot: who waits holds nothing.
      await reach(ids, 'waiting');

      expect(sim.requests().length - paid).toBe(1);
      expect((await look(ids)).map(({ wait_reason }) => wait_reason)).toEqual(ids.map(() => 'provider'));
      expect(await reasons(ids)).toHaveLength(5);
      for (const { message } of await reasons(ids)) expect(message).toBe('invalid x-api-key');
      const [listed] = (await keys.list()).filter(({ id }) => id === key().id);
      expect(listed).toMatchObject({
        state: 'parked',
        errorClass: 'authentication',
        waitingTasks: 5,
        workers: 1,
      });

      await stop(worker);
      await Promise.all([start(), start()]);
      const late = await submit('read 2');
      await reach([late], 'waiting');
      expect(sim.requests().length - paid).toBe(1);

      expect(await keys.resume(key().id)).toMatchObject({ state: 'open', waitingTasks: 0 });
      await reach([...ids, late], 'completed');
      expect(sim.requests().length - paid).toBe(1 + 6 * 3);
      await expectWhole([...ids, late], 'read 2');
    });

    it('sends nothing with a key during a pause that the provider asked for, from any worker, and then goes on', async () => {
      await Promise.all([start(), start()]);
      const ids = await submitAll(4, 'read 6');
      await waitFor(() => sim.requests().length >= 8, { what: 'the work to be under way' });
      sim.injectFaults([{ kind: 'rate_limit', retryAfterSeconds: 3 }]);
      await reach(ids, 'completed');

      const log = sim
        .requests()
        .map(({ time, durationMs, status }) => ({ at: Date.parse(time), durationMs, status }));
      const refused = log.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(1);
      const from = (refused[0]?.at ?? 0) + (refused[0]?.durationMs ?? 0);
      // The word takes up to a second to the other worker.
      expect(log.filter(({ at }) => at > from + 1_000 && at < from + 3_000)).toEqual([]);
      // Then the ramp: two calls a worker at first, whoever is waiting.
      expect(log.filter(({ at }) => at >= from + 3_000 && at < from + 3_900).length).toBeLessThanOrEqual(4);
      expect(log).toHaveLength(4 * 7 + 1);
      await expectWhole(ids, 'read 6');
    });

    it.each<[Fault, string]>([
      [{ kind: 'permission_error' }, 'failed'],
      [{ kind: 'rate_limit', retryAfterSeconds: 600, shouldRetry: false }, 'failed'],
      [{ kind: 'html_403' }, 'completed'],
      [{ kind: 'conflict_error' }, 'completed'],
    ])('after a refusal of one request (%j) all others go on; its own task ends %s', async (fault, end) => {
      await start();
      sim.injectFaults([fault]);
      const refused = await submit('read 1');
      await waitFor(() => sim.requests().length > 0, { what: 'the refusal' });
      const others = await submitAll(3, 'read 2');
      await reach(others, 'completed');
      await reach([refused], end);
      expect(sim.requests().filter(({ status }) => status !== 200)).toHaveLength(1);
      expect(await reasons([refused, ...others])).toEqual([]);
      expect(await keys.read(key().id)).toEqual({ parked: null, pauses: [] });
    });

    it('goes on by itself when the workers are restarted with another key', async () => {
      const worker = await start();
      sim.injectFaults([{ kind: 'spend_limit' }]); // A 400 that says so in words only.
      const ids = await submitAll(3, 'read 1');
      await reach(ids, 'waiting');
      await stop(worker);
      await start({ ANTHROPIC_API_KEY: 'b' });
      await reach(ids, 'completed');
      expect(await keys.read(key().id)).toMatchObject({ parked: { errorClass: 'billing' } });
      expect(await keys.read(key('b').id)).toEqual({ parked: null, pauses: [] });
      await expectWhole(ids, 'read 1');
    });

    it('loses nothing when a worker dies between parking the key and suspending its task', async () => {
      const id = await submit('read 1');
      const store = new PostgresTaskStore({ pool, leaseMs: 1, newId });
      const lease = await store.claim(id, 1, 'worker_dead');
      if (!lease) throw new Error('nothing to claim');
      await store.commit(lease, { ...emptyStep(), modelCalls: [aModelCall({ turn: 1, attempt: 1 })] });
      await keys.park(key(), 'authentication', 'invalid x-api-key');

      await start();
      await reach([id], 'waiting');
      expect(await reasons([id])).toMatchObject([{ message: 'invalid x-api-key' }]);
      expect(sim.requests()).toEqual([]);

      await keys.resume(key().id);
      await reach([id], 'completed');
      expect(sim.requests()).toHaveLength(2);
      await expectWhole([id], 'read 1');
    });
  });
}
