/** A whole installation for one drill, in a folder and on ports of its own, with its faults at hand. */
import { writeFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { builtInScenarios, startModelSim, type ModelSim } from '@bullpen/model-sim';
import { testRedis, type TestRedis, type TestRedisOptions } from '@bullpen/testing/harness';
import type { QueueConnection } from '@bullpen/queue';
import type { DrillContext } from '../drill.js';
import { App } from './app.js';
import { DrillDatabase } from './database.js';
import { effectsIn } from './effects.js';
import { drillScenario } from './plan.js';
import { Submitter } from './submitter.js';
import { TcpProxy } from './tcp-proxy.js';

export interface StackOptions {
  /** @defaultValue 3 */
  readonly workers?: number;
  /** Tasks at once in each worker. @defaultValue 6 */
  readonly slots?: number;
  /** Postgres with fsync and all: for drills that crash it. @defaultValue false */
  readonly durable?: boolean;
  /** Puts proxies between each worker and what it talks to. @defaultValue false */
  readonly proxied?: boolean;
  readonly redis?: TestRedisOptions;
  /** Each worker has an installation folder of its own, as on another machine. @defaultValue false */
  readonly ownHomes?: boolean;
  /** Pace of the simulated model. @defaultValue 8 */
  readonly speed?: number;
  /** More of Node's own options for the worker of that number. */
  readonly workerArgs?: (at: number) => readonly string[];
}

/** The ways of one worker to the rest. */
export interface Ways {
  readonly database: TcpProxy;
  readonly model: TcpProxy;
  /** Null where there is no Redis. */
  readonly redis: TcpProxy | null;
}

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

export class Stack {
  readonly workers: App[] = [];
  readonly ways: Ways[] = [];
  /** What ended without being asked to. */
  readonly crashes: string[] = [];
  kills = 0;
  restarts = 0;
  apiKey = '';
  readonly gateway: App;
  redis: TestRedis | null = null;
  #database: DrillDatabase | null = null;
  #submitter: Submitter | null = null;

  private constructor(
    private readonly context: DrillContext,
    private readonly options: StackOptions,
    /** Holds everything; also what only the drill needs. */
    readonly folder: string,
    readonly sim: ModelSim,
  ) {
    this.gateway = this.#app('gateway', () => ({ ...this.#env(), PORT: String(this.gateway.port) }));
  }

  /** Starts everything. What was started is stopped again when a part of it fails. */
  static async start(context: DrillContext, options: StackOptions): Promise<Stack> {
    const folder = await mkdtemp(join(tmpdir(), 'bullpen-drill-'));
    await chmod(folder, 0o755); // Postgres and the commands of agents run as other users when we are root.
    const effectsFile = join(folder, 'effects');
    writeFileSync(effectsFile, '');
    await chmod(effectsFile, 0o666);
    const scenarios = [drillScenario(effectsFile), ...builtInScenarios];
    const sim = await startModelSim({ scenarios, speed: options.speed ?? 8 });
    const stack = new Stack(context, options, folder, sim);
    try {
      await stack.#startServers();
      await stack.#startApps();
    } catch (error) {
      await stack.stop();
      throw error;
    }
    return stack;
  }

  get database(): DrillDatabase {
    if (this.#database === null) throw new Error('The database is not started yet');
    return this.#database;
  }

  get submitter(): Submitter {
    if (this.#submitter === null) throw new Error('The gateway is not started yet');
    return this.#submitter;
  }

  get slots(): number {
    return this.options.slots ?? 6;
  }

  get signal(): AbortSignal {
    return this.context.signal;
  }

  /** The home of gateway and workers. */
  get home(): string {
    return join(this.folder, 'home');
  }

  /** That of a worker with one of its own. */
  homeOf(at: number): string {
    return join(this.folder, `home-${at}`);
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.gateway.port}`;
  }

  get queue(): QueueConnection {
    if (this.redis === null) return { kind: 'postgres', databaseUrl: this.database.url };
    return { kind: 'redis', redisUrl: this.redis.url, prefix: 'bullpen' };
  }

  readonly log = (line: string): void => this.context.log(line);

  /** Throws when the drill is aborted meanwhile. */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.signal });
  }

  /** Tokens that commands left, in order. */
  effects(): readonly string[] {
    return effectsIn(join(this.folder, 'effects'));
  }

  anyWorker(): App {
    const at = Math.floor(this.context.random() * this.workers.length);
    return this.workers[at] ?? this.worker(0);
  }

  /** kill -9 of a random worker and a new one in its place; does not wait for that one. */
  strike(): void {
    this.anyWorker()
      .replace()
      .catch((error: unknown) => this.signal.aborted || this.crashes.push(String(error)));
  }

  worker(at: number): App {
    const worker = this.workers[at];
    if (worker === undefined) throw new Error(`There is no worker ${at}`);
    return worker;
  }

  way(at: number): Ways {
    const ways = this.ways[at];
    if (ways === undefined) throw new Error('This drill has no proxies');
    return ways;
  }

  /** Ends every fault that the stack knows of: frozen processes, bad weather, errors of the model, dead processes. */
  async heal(): Promise<void> {
    for (const { database, model, redis } of this.ways)
      for (const proxy of [database, model, redis]) proxy?.set({ kind: 'pass' });
    for (const app of [this.gateway, ...this.workers]) if (app.isFrozen) app.thaw();
    this.sim.clearFaults();
    await Promise.all([this.gateway, ...this.workers].map((app) => app.start()));
  }

  /** Stops everything by pid and removes the folder; also what has only half started. */
  async stop(): Promise<void> {
    await Promise.all(this.workers.map((app) => app.close()));
    await this.gateway.close();
    for (const { database, model, redis } of this.ways)
      for (const way of [database, model, redis]) await way?.close();
    await Promise.all([this.sim.close(), this.redis?.stop(), this.#database?.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  async #startServers(): Promise<void> {
    this.#database = await DrillDatabase.start(join(this.folder, 'database'), this.options.durable ?? false);
    if (this.context.backend === 'redis') this.redis = await testRedis(this.options.redis);
  }

  async #startApps(): Promise<void> {
    const { workers = 3, proxied = false } = this.options;
    for (let at = 0; at < workers; at += 1) {
      const ways = proxied ? await this.#openWays() : null;
      if (ways !== null) this.ways.push(ways);
      const args = this.options.workerArgs?.(at) ?? [];
      this.workers.push(
        this.#app(
          'worker',
          () => this.#env(ways, this.options.ownHomes === true ? this.homeOf(at) : this.home),
          `worker ${at}`,
          args,
        ),
      );
    }
    await Promise.all([this.gateway, ...this.workers].map((app) => app.start()));
    this.restarts = 0;
    this.apiKey = (await readFile(join(this.home, 'key'), 'utf8')).trim();
    const { baseUrl, apiKey, signal } = this;
    this.#submitter = new Submitter({ baseUrl, apiKey, signal });
  }

  async #openWays(): Promise<Ways> {
    const [database, model, redis] = await Promise.all([
      new TcpProxy(this.database.url).open(),
      new TcpProxy(this.sim.url).open(),
      this.redis === null ? null : new TcpProxy(this.redis.url).open(),
    ]);
    return { database, model, redis };
  }

  #app(
    kind: 'gateway' | 'worker',
    env: () => Readonly<Record<string, string>>,
    name: string = kind,
    execArgv: readonly string[] = [],
  ): App {
    return new App({
      name,
      entry: join(ROOT, `apps/${kind}/dist/main.js`),
      env,
      execArgv,
      signal: this.signal,
      onStart: () => (this.restarts += 1),
      onKill: () => (this.kills += 1),
      onCrash: (what) => this.crashes.push(what),
    });
  }

  #env(ways: Ways | null = null, home = this.home): Readonly<Record<string, string>> {
    return {
      DATABASE_URL: ways?.database.url ?? this.database.url,
      REDIS_URL: ways?.redis?.url ?? this.redis?.url ?? '',
      BULLPEN_HOME: home,
      // What commands did is read from a file outside of all workspaces, where no box lets anything be written.
      SANDBOX: 'off',
      ANTHROPIC_API_KEY: 'simulated',
      ANTHROPIC_BASE_URL: ways?.model.url ?? this.sim.url,
      MODEL_SIMULATED: 'true',
      LEASE_MS: '3000',
      RENEW_MS: '1000',
      WORKER_SLOTS: String(this.slots),
      MAX_STREAMS: '2000',
      LOG_LEVEL: 'warn',
    };
  }
}
