/**
 * A whole Bullpen on this machine: database, model simulator, gateway and workers as processes that are kept running, started
 * and stopped in the order in which they need each other. `up` and `demo` are two ways to look at it.
 */
import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, errorText } from '@bullpen/contracts';
import { freePort, isPortFree, takeProcessLock, type Env, type UpSettings } from '@bullpen/platform';
import { removeTree } from '@bullpen/workspace/remove-tree';
import { z } from 'zod';
import { lockFile, prepareHome } from './home.js';
import { KeptDatabase, type StackDatabase } from './kept-database.js';
import {
  ManagedProcess,
  type Backoff,
  type ChildMessage,
  type Liveness,
  type ProcessEvent,
  type ProcessSpec,
} from './managed-process.js';
import {
  gatewaySpec,
  portOf,
  simulatorSpec,
  workerFolder,
  workerSpec,
  type Scripts,
  type Wiring,
} from './plan.js';
import { portInUse } from './port.js';
import { readUpFile, removeUpFile, writeUpFile, type UpFile } from './up-file.js';

export type StackEvent =
  | ProcessEvent
  | { readonly type: 'starting'; readonly name: string }
  | { readonly type: 'migrated'; readonly applied: readonly string[] }
  | { readonly type: 'stopping'; readonly name: string };

export interface StackOptions {
  readonly settings: UpSettings;
  /** The supervisor's own environment; see `plan.ts` for what children get of it. */
  readonly env: Env;
  readonly scripts: Scripts;
  /** Gives each worker a folder of its own for workspaces. @defaultValue they share the home's */
  readonly ownFolders?: boolean;
  /** Takes a free port when the wanted one is taken, instead of refusing. */
  readonly anyPort: boolean;
  /** Starts the embedded database; only called when the settings name no other. */
  startDatabase(): Promise<StackDatabase>;
  migrate(databaseUrl: string): Promise<{ readonly applied: readonly string[] }>;
  readonly backoff?: Backoff;
  readonly liveness?: Liveness;
  onEvent(event: StackEvent): void;
}

/** Pause between two tries to write `up.json`, in ms. */
const REWRITE_MS = 5_000;

/** Use `Stack.start`; a stack that could not be started leaves nothing running. */
export class Stack {
  private database: KeptDatabase | null = null;
  private simulator: ManagedProcess | null = null;
  private gateway: ManagedProcess | null = null;
  private workers: ManagedProcess[] = [];
  /** What holds the commands of agents, as the first worker found it. */
  private sandbox = 'none';
  /** Extensions that could not be used, as the gateway found them. */
  private leftOut: readonly string[] = [];
  private stopped: Promise<void> | null = null;
  private up: UpFile | null = null;
  private rewriteTimer: NodeJS.Timeout | null = null;

  private constructor(
    private readonly options: StackOptions,
    private readonly releaseLock: () => Promise<void>,
  ) {}

  /**
   * Starts everything and resolves when the gateway listens and all workers are ready. Throws `already_running` (naming
   * address and pid), `port_in_use`, or the error of the process that did not come up; nothing is left running then.
   * `signal` stops the start.
   */
  static async start(options: StackOptions, signal?: AbortSignal): Promise<Stack> {
    const { BULLPEN_HOME: home } = options.settings;
    prepareHome(home);
    const lock = await takeProcessLock(lockFile(home));
    if (lock.kind === 'held') throw alreadyRunning(home, lock.pid);
    const stack = new Stack(options, () => lock.release());
    const abort = (): void => void stack.stop();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      // What a killed supervisor left behind would lead other commands astray.
      removeUpFile(home);
      await stack.bringUp();
      signal?.throwIfAborted();
      return stack;
    } catch (error) {
      await stack.stop();
      // What broke because of the stop is not the reason.
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** What `up.json` says. */
  get info(): UpFile {
    if (this.up === null) throw new AppError('internal_error', 'The stack is not up');
    return this.up;
  }

  /** Stops workers, gateway, simulator, database, in this order. Never throws for a process; safe to call twice. */
  stop(): Promise<void> {
    this.stopped ??= this.bringDown();
    return this.stopped;
  }

  /** Ends everything but the database at once, and the database as fast as it can without harm. */
  async kill(): Promise<void> {
    for (const child of [...this.workers, this.gateway, this.simulator]) child?.kill();
    await this.stop();
  }

  /**
   * What happens to a worker whose machine is lost: it ends at once, and with it what it kept, if `isWanted` still says so then. It is the one whose own folder
   * holds the path; null when there is none. It is started again, with nothing.
   */
  async loseWorkerOf(path: string, isWanted: () => Promise<boolean>): Promise<string | null> {
    const { settings } = this.options;
    const folders = this.workers.map((_, index) => workerFolder(settings, index + 1));
    const at = folders.findIndex((folder) => path.startsWith(`${folder}/`));
    const [worker, folder] = [this.workers[at], folders[at]];
    if (worker === undefined || folder === undefined) return null;
    worker.crash();
    if (!(await isWanted())) return null;
    // As one step: the next process begins while this is removed.
    const lost = `${folder}.lost-${randomUUID()}`;
    await rename(folder, lost);
    await removeTree(lost);
    return worker.spec.name;
  }

  private async bringUp(): Promise<void> {
    const { settings } = this.options;
    const port = await this.choosePort();
    const databaseUrl = settings.DATABASE_URL ?? (await this.startDatabase());
    this.options.onEvent({ type: 'starting', name: 'migrations' });
    this.options.onEvent({ type: 'migrated', ...(await this.options.migrate(databaseUrl)) });
    const simulatorUrl = settings.ANTHROPIC_API_KEY === undefined ? await this.startSimulator() : null;
    const listening = await this.startServices({ databaseUrl, simulatorUrl, port });
    this.leftOut = z.array(z.string()).catch([]).parse(listening['leftOut']);
    this.writeUp(databaseUrl, portOf(listening) ?? port);
  }

  private async choosePort(): Promise<number> {
    const { HOST, PORT } = this.options.settings;
    if (PORT === 0 || (await isPortFree(HOST, PORT))) return PORT;
    if (this.options.anyPort) return freePort(0, HOST);
    throw portInUse(HOST, PORT);
  }

  private async startDatabase(): Promise<string> {
    const { backoff, startDatabase: start } = this.options;
    this.options.onEvent({ type: 'starting', name: 'database' });
    this.database = new KeptDatabase({ start, backoff, onEvent: (event) => this.options.onEvent(event) });
    const url = await this.database.url();
    this.refuseWhenStopped();
    return url;
  }

  private async startSimulator(): Promise<string> {
    this.simulator = this.process(simulatorSpec(this.options));
    return `http://127.0.0.1:${portOf(await this.begin(this.simulator))}`;
  }

  /** Gateway and workers do not need each other: they start side by side. */
  private async startServices(wiring: Wiring): Promise<ChildMessage> {
    this.gateway = this.process(gatewaySpec(this.options, wiring));
    const numbers = Array.from({ length: this.options.settings.WORKERS }, (_, index) => index + 1);
    this.workers = numbers.map((number) => this.process(workerSpec(this.options, wiring, number)));
    const [listening, ...workers] = await Promise.all([
      this.begin(this.gateway),
      ...this.workers.map((worker) => this.begin(worker)),
    ]);
    this.sandbox = String(workers[0]?.['sandbox'] ?? 'none');
    return listening;
  }

  private begin(child: ManagedProcess): Promise<ChildMessage> {
    this.refuseWhenStopped();
    this.options.onEvent({ type: 'starting', name: child.spec.name });
    return child.start();
  }

  private refuseWhenStopped(): void {
    if (this.stopped !== null) throw new AppError('internal_error', 'The stack is being stopped');
  }

  private process(spec: ProcessSpec): ManagedProcess {
    const { backoff, liveness, settings } = this.options;
    const logFolder = join(settings.BULLPEN_HOME, 'logs');
    return new ManagedProcess(spec, {
      logFolder,
      backoff,
      liveness,
      onEvent: (event) => this.onProcessEvent(event),
    });
  }

  private onProcessEvent(event: ProcessEvent): void {
    this.options.onEvent(event);
    // A process that came back has another pid, and one that crashed has none: `up.json` says so.
    const changed = event.type === 'crashed' || (event.type === 'up' && event.again);
    if (changed && this.up !== null && this.stopped === null) this.rewriteUp(this.up);
  }

  /** A disk that is full is no reason to end what runs: it is said, and tried again until it works. */
  private rewriteUp({ databaseUrl, url }: UpFile): void {
    if (this.rewriteTimer !== null) clearTimeout(this.rewriteTimer);
    this.rewriteTimer = null;
    try {
      this.writeUp(databaseUrl, Number(new URL(url).port));
    } catch (error) {
      const text = `up.json is out of date, as it cannot be written: ${errorText(error)}`;
      this.options.onEvent({ type: 'log', name: 'supervisor', level: 'warn', text });
      this.rewriteTimer = setTimeout(() => {
        if (this.up !== null && this.stopped === null) this.rewriteUp(this.up);
      }, REWRITE_MS);
    }
  }

  private writeUp(databaseUrl: string, port: number): void {
    const { settings } = this.options;
    const child = (process: ManagedProcess) => ({ name: process.spec.name, pid: process.pid });
    this.up = {
      url: `http://${urlHost(settings.HOST)}:${port}`,
      pid: process.pid,
      startedAt: this.up?.startedAt ?? new Date().toISOString(),
      home: settings.BULLPEN_HOME,
      databaseUrl,
      embedded: this.database !== null,
      queue: settings.REDIS_URL === undefined ? 'postgres' : 'redis',
      simulated: this.simulator !== null,
      model: settings.DEFAULT_MODEL,
      workers: this.workers.map(child),
      sandbox: this.sandbox,
      leftOut: [...this.leftOut],
      gateway: this.gateway === null ? { name: 'gateway', pid: null } : child(this.gateway),
      simulator: this.simulator === null ? null : child(this.simulator),
      logs: join(settings.BULLPEN_HOME, 'logs'),
    };
    writeUpFile(settings.BULLPEN_HOME, this.up);
  }

  private async bringDown(): Promise<void> {
    if (this.rewriteTimer !== null) clearTimeout(this.rewriteTimer);
    try {
      removeUpFile(this.options.settings.BULLPEN_HOME);
    } catch (error) {
      // What runs has to be stopped in any case.
      const text = `up.json cannot be removed: ${errorText(error)}`;
      this.options.onEvent({ type: 'log', name: 'supervisor', level: 'warn', text });
    }
    try {
      // In order on purpose: who takes in or does work ends before what the work needs.
      await Promise.all(this.workers.map((worker) => this.end(worker)));
      await this.end(this.gateway);
      await this.end(this.simulator);
      await this.database?.stop();
    } finally {
      await this.releaseLock();
    }
  }

  private async end(child: ManagedProcess | null): Promise<void> {
    if (child?.pid != null) this.options.onEvent({ type: 'stopping', name: child.spec.name });
    await child?.stop();
  }
}

function alreadyRunning(home: string, pid: number): AppError {
  const up = readUpFile(home);
  const where = up?.pid === pid ? `at ${up.url}` : 'and is still starting or stopping';
  return new AppError(
    'already_running',
    `Bullpen already runs ${where} (process ${pid}, data in ${home}).\nUse it as it is, or stop it first: kill ${pid}`,
    { details: { pid, url: up?.url ?? null, home } },
  );
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
