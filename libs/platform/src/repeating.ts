/**
 * Work that a process does again and again in the background. One run at a time; one that fails is tried again at the next time, one
 * that hangs is told, and both can be asked for: a part that does nothing any more must not look like one with nothing to do.
 */
import { errorText } from '@bullpen/contracts';
import type { Logger } from './logger.js';

interface RepeatingOptions {
  /** What it does, for the log: "polling for events". */
  readonly name: string;
  /** Pause between the starts of two runs, in ms. */
  readonly everyMs: number;
  /** A run that takes longer hangs, in ms. @defaultValue one minute */
  readonly lateMs?: number;
  readonly run: () => Promise<void>;
  readonly logger: Logger;
}

const LATE_MS = 60_000;
/** A single failure is a hiccup. */
const FAILURES = 3;

export class Repeating {
  readonly #options: RepeatingOptions;
  #timer: NodeJS.Timeout | null = null;
  #running: { readonly since: number; readonly end: Promise<void>; told: boolean } | null = null;
  #failures = 0;
  #lastError = '';

  constructor(options: RepeatingOptions) {
    this.#options = options;
  }

  /** Runs for the first time after the pause. Does not keep the process alive. Safe to call twice. */
  start(): void {
    this.#timer ??= setInterval(() => this.#tick(), this.#options.everyMs).unref();
  }

  /** Runs no more, and waits for a run that is under way, unless it hangs. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    if (!this.#hangs()) await this.#running?.end;
  }

  /** What is wrong with it, in words; null when all is well. */
  trouble(): string | null {
    const { name } = this.#options;
    if (this.#running !== null && this.#hangs())
      return `${name} has been at it for ${Math.round((performance.now() - this.#running.since) / 1_000)} s`;
    return this.#failures < FAILURES
      ? null
      : `${name} failed ${this.#failures} times in a row: ${this.#lastError}`;
  }

  #tick(): void {
    if (this.#running === null) {
      const since = performance.now();
      const end = this.#run().finally(() => (this.#running = null));
      this.#running = { since, end, told: false };
    } else if (this.#hangs() && !this.#running.told) {
      this.#running.told = true;
      this.#options.logger.error({ part: this.#options.name }, this.trouble() ?? '');
    }
  }

  async #run(): Promise<void> {
    const { name, run, logger } = this.#options;
    try {
      // Not in this turn: a run that ends at once must not end before it is known to be under way.
      await Promise.resolve();
      await run();
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#lastError = errorText(error);
      logger.warn({ err: error, part: name, failures: this.#failures }, `${name} failed; it is tried again`);
    }
  }

  #hangs(): boolean {
    return (
      this.#running !== null && performance.now() - this.#running.since > (this.#options.lateMs ?? LATE_MS)
    );
  }
}
