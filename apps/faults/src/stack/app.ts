/** The place of one product process, in which one comes after the other: started, killed, frozen, restarted as a supervisor would. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess, type ProcessEnd, type TestProcess } from '@bullpen/testing/harness';

export interface AppOptions {
  readonly name: string;
  /** The compiled main file. */
  readonly entry: string;
  /** Read at each start. */
  readonly env: () => Readonly<Record<string, string>>;
  readonly execArgv?: readonly string[];
  readonly signal: AbortSignal;
  readonly onStart: () => void;
  readonly onKill: () => void;
  /** It ended, and nobody had asked it to. It is started again. */
  readonly onCrash: (what: string) => void;
}

/** A start that takes longer than this will never be. */
const START_MS = 60_000;
const RESTART_PAUSE_MS = 250;

export class App {
  /** What the process told when it was ready: the gateway its port. */
  port = 0;
  #current: TestProcess | null = null;
  #alive = false;
  #asked = false;
  #frozen = false;
  #closed = false;
  #starting: Promise<void> = Promise.resolve();

  constructor(private readonly options: AppOptions) {}

  get name(): string {
    return this.options.name;
  }

  get pid(): number {
    return this.#current?.pid ?? 0;
  }

  /** The newest output, for reports. */
  get output(): string {
    return this.#current?.output.slice(-4_000) ?? '';
  }

  /** Starts it, again and again while it fails (its database may be away), and resolves when it is ready. */
  start(): Promise<void> {
    // One after the other: a restart after a crash may be under way.
    this.#starting = this.#starting.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#starting;
  }

  /** Resolves when the start under way, also one after a crash, is done. */
  settled(): Promise<void> {
    return this.#starting;
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.options.onKill();
    await this.#end('SIGKILL');
  }

  /** kill -9 and a new one in its place. */
  async replace(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** SIGTERM; gives how it ended. */
  terminate(): Promise<ProcessEnd | null> {
    return this.#end('SIGTERM');
  }

  /** SIGSTOP. */
  freeze(): void {
    this.#frozen = true;
    this.sendSignal('SIGSTOP');
  }

  /** SIGCONT. */
  thaw(): void {
    this.#frozen = false;
    this.sendSignal('SIGCONT');
  }

  get isFrozen(): boolean {
    return this.#frozen;
  }

  sendSignal(signal: NodeJS.Signals): void {
    this.#current?.child.kill(signal);
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#end('SIGKILL');
    await this.#starting.catch(() => undefined); // Told to whoever waits for the start.
  }

  async #start(): Promise<void> {
    const deadline = performance.now() + START_MS;
    for (;;) {
      this.options.signal.throwIfAborted();
      if (this.#closed || (this.#alive && !this.#asked)) return;
      const one = this.#launch();
      if (await this.#ready(one)) return;
      await one.kill();
      if (performance.now() > deadline) throw new Error(`${this.name} does not start:\n${one.output}`);
      await sleep(RESTART_PAUSE_MS);
    }
  }

  #launch(): TestProcess {
    const { entry, name, env, execArgv = [], onStart } = this.options;
    this.#asked = false;
    this.#frozen = false;
    onStart();
    const one = startProcess(entry, { name, env: env(), execArgv, ipc: true });
    this.#current = one;
    this.#alive = true;
    void one.ended.then(() => {
      if (one === this.#current) this.#alive = false;
    });
    return one;
  }

  /** True when it said so, false when it ended before, or was told to. */
  async #ready(one: TestProcess): Promise<boolean> {
    const said = new Promise<boolean>((resolve) => {
      one.child.on('message', (message: { type: string; port?: number }) => {
        if (message.type !== 'ready' && message.type !== 'listening') return;
        this.port = message.port ?? this.port;
        resolve(true);
      });
    });
    const isReady = await Promise.race([said, one.ended.then(() => false)]);
    if (isReady) void one.ended.then((end) => this.#ended(one, end));
    return isReady || this.#asked;
  }

  #ended(one: TestProcess, { code, signal }: ProcessEnd): void {
    if (this.#asked || this.#closed || one !== this.#current) return;
    this.options.onCrash(
      `${this.name} ended by itself (${code ?? signal}): ${one.output.trim().split('\n').slice(-5).join(' | ').slice(-1_500)}`,
    );
    this.#starting = sleep(RESTART_PAUSE_MS).then(() => this.#start());
    this.#starting.catch(() => undefined); // The one who waits in `settled` is told.
  }

  async #end(signal: NodeJS.Signals): Promise<ProcessEnd | null> {
    this.#asked = true;
    const one = this.#current;
    if (one === null) return null;
    if (this.#frozen && signal !== 'SIGKILL') this.thaw();
    return one.stop(signal);
  }
}
