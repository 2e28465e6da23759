/** Real workers for specs: real Postgres, one of the queue backends, a scripted model over HTTP, and what people do. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { isTerminal, type AgentDefinition, type ContextItem, type TaskWorkspace } from '@bullpen/contracts';
import { Masker } from '@bullpen/core';
import { builtInAgents } from '@bullpen/extensions';
import { startModelSim, type ModelSim, type ModelSimOptions, type Scenario } from '@bullpen/model-sim';
import { newId, ownSecrets, parseEnv, silentLogger, workerSettings } from '@bullpen/platform';
import {
  Announcer,
  openEventBus,
  openTaskQueue,
  type EventBus,
  type QueueConnection,
  type TaskQueue,
} from '@bullpen/queue';
import { checkInvariants, createPool, Dispatches, TaskCommands } from '@bullpen/store';
import {
  testDatabase,
  waitFor,
  type QueueBackend,
  type TestDatabase,
  type TestRedis,
} from '@bullpen/testing';
import { startWorker, type RunningWorker } from '../src/compose.js';

export class WorkerWorld {
  private workers: readonly RunningWorker[] = [];
  private readonly homes: string[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly pool: ReturnType<typeof createPool>,
    readonly commands: TaskCommands,
    readonly sim: ModelSim,
    readonly connection: QueueConnection,
    readonly queue: TaskQueue,
    private readonly bus: EventBus,
    /** Null on the Postgres backend. */
    readonly redis: TestRedis | null,
    readonly home: string,
  ) {}

  static async open(
    backend: QueueBackend,
    scenario: Scenario,
    { speed = 'max' }: { readonly speed?: ModelSimOptions['speed'] } = {},
  ): Promise<WorkerWorld> {
    const [database, redis, home] = await Promise.all([
      testDatabase(),
      backend.start(),
      mkdtemp(join(tmpdir(), 'bullpen-worker-')),
    ]);
    await chmod(home, 0o711); // Commands run as another user when the tests are root.
    const sim = await startModelSim({ scenarios: [scenario], speed });
    const pool = createPool({ databaseUrl: database.url, max: 6, applicationName: 'worker-world' });
    const connection: QueueConnection = redis
      ? { kind: 'redis', redisUrl: redis.url, prefix: 'spec' }
      : { kind: 'postgres', databaseUrl: database.url };
    const queue = openTaskQueue(connection, silentLogger(), 15_000);
    const answers = () =>
      queue.ping().then(
        () => true,
        () => false,
      );
    await waitFor(answers, { what: 'the queue' });
    const bus = openEventBus(connection, silentLogger());
    const announcer = new Announcer({ queue, bus, backlog: new Dispatches(pool), logger: silentLogger() });
    const commands = new TaskCommands({
      pool,
      newId,
      onCommitted: (effects) => announcer.committed(effects),
    });
    await pool.query(`INSERT INTO tenants (id, name) VALUES ('default', 'D')`);
    return new WorkerWorld(database, pool, commands, sim, connection, queue, bus, redis, home);
  }

  async start(env: Record<string, string> = {}): Promise<RunningWorker> {
    const { redis, home } = this;
    const settings = parseEnv(workerSettings, {
      DATABASE_URL: this.database.url,
      ...(redis ? { REDIS_URL: redis.url, QUEUE_PREFIX: 'spec' } : {}),
      BULLPEN_HOME: home,
      ANTHROPIC_API_KEY: 'simulated',
      ANTHROPIC_BASE_URL: this.sim.url,
      MODEL_SIMULATED: 'true',
      ...env,
    });
    const worker = await startWorker({
      settings: { ...settings, DATABASE_URL: this.database.url },
      logger: silentLogger(),
      masker: new Masker(ownSecrets(settings)),
      version: '0',
      commandPath: '/usr/bin:/bin',
    });
    this.workers = [...this.workers, worker];
    return worker;
  }

  /** The folder of one more machine, to start workers with; it is there until the world is closed. */
  async newHome(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'bullpen-home-'));
    await chmod(folder, 0o711); // Commands run as another user when the tests are root.
    this.homes.push(folder);
    return folder;
  }

  /** Ends one worker in order; it gives back what it holds. */
  async stop(worker: RunningWorker): Promise<void> {
    this.workers = this.workers.filter((other) => other !== worker);
    for (const step of worker.shutdownSteps) await step.run();
  }

  async stopWorkers(): Promise<void> {
    for (const worker of this.workers) await this.stop(worker);
  }

  /** Submits a task for the built-in general agent, changed as given. */
  async submit(
    prompt: string,
    change: Partial<AgentDefinition> = {},
    runAt: Date | null = null,
    workspace: TaskWorkspace = { kind: 'empty' },
    contextItems: readonly ContextItem[] = [],
  ): Promise<string> {
    const id = newId('task');
    const agent = builtInAgents().find(({ name }) => name === 'general');
    if (!agent) throw new Error('no general agent');
    await this.commands.create({
      id,
      tenantId: 'default',
      title: prompt,
      definition: { ...agent, model: 'claude-sonnet-5-5', ...change },
      prompt,
      input: null,
      workspace,
      contextItems,
      priority: 0,
      runAt,
      tags: [],
      metadata: {},
    });
    return id;
  }

  async task(
    id: string,
  ): Promise<{ state: string; wait_reason: string | null; output: unknown; worker_id: string | null }> {
    const { rows } = await this.pool.query<{
      state: string;
      wait_reason: string | null;
      output: unknown;
      worker_id: string | null;
    }>('SELECT state, wait_reason, output, worker_id FROM tasks WHERE id = $1', [id]);
    if (!rows[0]) throw new Error(`no task ${id}`);
    return rows[0];
  }

  async until(id: string, state: string, timeoutMs = 60_000): Promise<void> {
    const reached = async () => {
      const task = await this.task(id);
      if (isTerminal(task.state) && task.state !== state) throw new Error(`${id} is ${task.state}`);
      return task.state === state;
    };
    await waitFor(reached, { what: `${id} to be ${state}`, timeoutMs });
  }

  /** What waits for people in the tree of a root, oldest first. */
  async inbox(
    rootId: string,
  ): Promise<{ id: string; task_id: string; kind: string; payload: Record<string, unknown> }[]> {
    const { rows } = await this.pool.query<{
      id: string;
      task_id: string;
      kind: string;
      payload: Record<string, unknown>;
    }>(
      `SELECT id, task_id, kind, payload FROM interactions
       WHERE root_id = $1 AND answered_at IS NULL AND withdrawn_at IS NULL ORDER BY created_at, id`,
      [rootId],
    );
    return rows;
  }

  answer(interactionId: string, answer: unknown) {
    return this.commands.answer('default', interactionId, { answer, by: 'somebody' });
  }

  async expectInvariants(): Promise<void> {
    expect((await checkInvariants(this.pool)).filter(({ holds }) => !holds)).toEqual([]);
  }

  async close(): Promise<void> {
    const { redis, queue, bus, home } = this;
    await this.stopWorkers();
    await Promise.all([queue.close(), bus.close(), this.sim.close(), this.pool.end()]);
    const folders = [home, ...this.homes].map((folder) => rm(folder, { recursive: true, force: true }));
    await Promise.all([this.database.drop(), redis?.stop(), ...folders]);
  }
}
