/** An installation whose provider is the byte-level server: Postgres, gateway and worker as processes of their own. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type BullpenClient } from '@bullpen/client';
import { App } from '../stack/app.js';
import { DrillDatabase } from '../stack/database.js';
import type { Stage } from './stage.js';
import { WireServer } from './wire-server.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

type Env = Readonly<Record<string, string>>;
type Part = 'gateway' | 'worker';

/** The profile of a model without tool calls of its own. */
export const CALLS_IN_TEXT = 'calls-in-text';
const PROFILES = `${CALLS_IN_TEXT}:\n  model: claude-sonnet-5-5\n  dialect: xml\n`;

/** What the machine itself has set must not decide which way requests go. */
const NO_PROXIES: Env = {
  ...{ HTTP_PROXY: '', HTTPS_PROXY: '', NO_PROXY: '' },
  ...{ http_proxy: '', https_proxy: '', no_proxy: '' },
};

export class WireStack {
  /** What ended without being asked to. */
  readonly crashes: string[] = [];
  readonly gateway: App;
  readonly worker: App;
  #client: BullpenClient | null = null;
  /** What the worker is told on top; read at each of its starts. */
  #workerEnv: Env = {};

  private constructor(
    readonly folder: string,
    readonly database: DrillDatabase,
    readonly server: WireServer,
    private readonly signal: AbortSignal,
    private readonly more: Env,
  ) {
    this.gateway = this.#app('gateway', () => ({ PORT: String(this.gateway.port) }));
    this.worker = this.#app('worker', () => this.#workerEnv);
  }

  /** `more`: settings of both processes on top of the usual. */
  static async start(signal: AbortSignal, more: Env = {}): Promise<WireStack> {
    const folder = await mkdtemp(join(tmpdir(), 'bullpen-wire-'));
    await chmod(folder, 0o755); // Postgres and the commands of agents run as other users when we are root.
    const [database, server] = await Promise.all([
      DrillDatabase.start(join(folder, 'database'), false),
      WireServer.start(),
    ]);
    const stack = new WireStack(folder, database, server, signal, more);
    try {
      await mkdir(join(stack.#home, 'extensions'), { recursive: true });
      await writeFile(join(stack.#home, 'extensions', 'models.yaml'), PROFILES);
      await Promise.all([stack.gateway.start(), stack.worker.start()]);
      const apiKey = (await readFile(join(stack.#home, 'key'), 'utf8')).trim();
      stack.#client = createClient({ baseUrl: `http://127.0.0.1:${stack.gateway.port}`, apiKey, retries: 0 });
    } catch (error) {
      await stack.stop();
      throw error;
    }
    return stack;
  }

  get client(): BullpenClient {
    if (this.#client === null) throw new Error('The gateway is not started yet');
    return this.#client;
  }

  get stage(): Stage {
    const { client, server, database, signal } = this;
    return { client, server, database, signal };
  }

  /** What both processes are told. */
  get env(): Env {
    return {
      ...NO_PROXIES,
      DATABASE_URL: this.database.url,
      REDIS_URL: '',
      BULLPEN_HOME: this.#home,
      ANTHROPIC_API_KEY: 'wire',
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${this.server.port}`,
      WORKER_SLOTS: '8',
      LOG_LEVEL: 'warn',
      ...this.more,
    };
  }

  /** The main file of a part. */
  entryOf(kind: Part): string {
    return join(ROOT, `apps/${kind}/dist/main.js`);
  }

  /** Puts another worker in the place of the one that runs, with these settings on top. */
  async replaceWorker(env: Env): Promise<void> {
    await this.worker.terminate();
    this.#workerEnv = env;
    await this.worker.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.worker.close(), this.gateway.close()]);
    await Promise.all([this.server.close(), this.database.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  get #home(): string {
    return join(this.folder, 'home');
  }

  #app(kind: Part, more: () => Env): App {
    return new App({
      name: kind,
      entry: this.entryOf(kind),
      env: () => ({ ...this.env, ...more() }),
      signal: this.signal,
      onStart: () => undefined,
      onKill: () => undefined,
      onCrash: (what) => this.crashes.push(what),
    });
  }
}
