/** The embedded database, kept running: when its process ends on its own, it is started again, on the same port. */
import { AppError } from '@bullpen/contracts';
import { DEFAULT_BACKOFF, type Backoff, type ProcessEvent } from './managed-process.js';

/** The embedded database as far as a stack cares. It outlives a signal to the supervisor's process group. */
export interface StackDatabase {
  readonly url: string;
  /** Resolves when it is gone, for whatever reason. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

export interface KeptDatabaseOptions {
  start(): Promise<StackDatabase>;
  readonly backoff?: Backoff;
  onEvent(event: ProcessEvent | { readonly type: 'stopping'; readonly name: string }): void;
}

const NAME = 'database';

export class KeptDatabase {
  private current: Promise<StackDatabase>;
  private timer: NodeJS.Timeout | null = null;
  private stopping = false;
  private crashes = 0;

  /** Starts the database at once; `url` says when it is there. */
  constructor(private readonly options: KeptDatabaseOptions) {
    this.current = this.startOnce();
  }

  /** The URL once it takes connections. Throws what starting it throws. */
  async url(): Promise<string> {
    return (await this.current).url;
  }

  /** Stops it, also while it starts. One that failed to start has said so to who waited for `url`. */
  async stop(): Promise<void> {
    this.stopping = true;
    if (this.timer !== null) clearTimeout(this.timer);
    const database = await this.current.catch(() => null);
    if (database === null) return;
    const startedAt = performance.now();
    this.options.onEvent({ type: 'stopping', name: NAME });
    await database.stop();
    const durationMs = performance.now() - startedAt;
    this.options.onEvent({ type: 'stopped', name: NAME, durationMs, killed: false });
  }

  private async startOnce(): Promise<StackDatabase> {
    const database = await this.options.start();
    const startedAt = performance.now();
    void database.exited.then(() => {
      if (performance.now() - startedAt >= this.backoff.steadyMs) this.crashes = 0;
      this.onGone(database.url, null);
    });
    return database;
  }

  private onGone(url: string, why: string | null): void {
    if (this.stopping) return;
    const restartInMs = Math.min(this.backoff.maxMs, this.backoff.firstMs * 2 ** this.crashes);
    this.crashes += 1;
    this.options.onEvent({ type: 'crashed', name: NAME, how: 'it is gone', why, restartInMs });
    this.timer = setTimeout(() => this.restart(url), restartInMs);
  }

  private restart(url: string): void {
    this.current = this.startOnce();
    this.current.then(
      (database) => {
        if (database.url === url) this.options.onEvent({ type: 'up', name: NAME, pid: 0, again: true });
        else this.options.onEvent({ type: 'log', name: NAME, level: 'error', text: movedText(database.url) });
      },
      (error: unknown) => this.onGone(url, error instanceof AppError ? error.message : String(error)),
    );
  }

  private get backoff(): Backoff {
    return this.options.backoff ?? DEFAULT_BACKOFF;
  }
}

function movedText(url: string): string {
  return `it had to move to port ${new URL(url).port}, which the other processes do not know: stop Bullpen and start it again`;
}
