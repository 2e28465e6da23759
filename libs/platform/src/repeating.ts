/**
 * Work that a process does again and again in the background. One run at a time; one that fails is tried again at the next time, one
 * that hangs is told, and both can be asked for: a part that does nothing any more must not look like one with nothing to do.
 */
import { errorText } from '@bullpen/contracts/errors';
import type { Logger } from './logger.js';

interface RepeatingOptions {
  /** What it does, for the log: "polling for events". */
  readonly name: string;
  /** Pause between the starts of two runs, in ms. */
  readonly everyMs: number;
  /**
   * Longest such pause: each run that finds nothing (gives `false`) doubles it up to this. Any other run and `stir` make it `everyMs` again.
   * For what is told when there is something to do, so that looking is for lost news only.
   */
  readonly calmMs?: number;
  /** A run that takes longer hangs, in ms. @defaultValue one minute */
  readonly lateMs?: number;
  readonly run: () => Promise<void | boolean>;
  readonly logger: Logger;
}

const LATE_MS = 60_000;
/** A single failure is a hiccup. */
const FAILURES = 3;

export class Repeating {
  readonly #options: RepeatingOptions;
  #timer: NodeJS.Timeout | null = null;
  #pauseMs: number;
  #running: { readonly since: number; readonly end: Promise<void>; told: boolean } | null = null;
  #failures = 0;
  #lastError = '';

  constructor(options: RepeatingOptions) {
    this.#options = options;
    this.#pauseMs = options.everyMs;
  }

  /** Runs for the first time after the pause. Does not keep the process alive. Safe to call twice. */
  start(): void {
    this.#timer ??= this.#next();
  }

  /** Something has happened: the next run comes after `everyMs` at the latest. */
  stir(): void {
    if (this.#pauseMs === this.#options.everyMs) return;
    this.#pauseMs = this.#options.everyMs;
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = this.#next();
  }

  /** Runs no more, and waits for a run that is under way, unless it hangs. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
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

  #next(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = this.#next();
      this.#tick();
    }, this.#pauseMs).unref();
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
      if ((await run()) === false) this.#calm();
      else this.stir();
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#lastError = errorText(error);
      logger.warn({ err: error, part: name, failures: this.#failures }, `${name} failed; it is tried again`);
    }
  }

  #calm(): void {
    const { everyMs, calmMs = everyMs } = this.#options;
    this.#pauseMs = Math.min(2 * this.#pauseMs, calmMs);
  }

  #hangs(): boolean {
    return (
      this.#running !== null && performance.now() - this.#running.since > (this.#options.lateMs ?? LATE_MS)
    );
  }
}
