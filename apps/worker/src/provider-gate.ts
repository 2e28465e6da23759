/**
 * One worker's view of its provider key, shared with all workers through the key's row. `look` reads memory only. What this
 * worker hears from the provider counts here at once and is then stored; what others hear comes with the live bus, or when the
 * row is read again: once a second while something stands against the key or did lately, else every few seconds.
 *
 * The row is the truth, with two exceptions: a change of our own that is not stored yet, and a read that began before one.
 * When a model or the key opens again, calls come back gradually (see the core's `rampWaitMs`).
 */
import type { GateState, ModelErrorClass, ProviderGate } from '@bullpen/core';
import type { Logger } from '@bullpen/platform';
import type { ProviderKey, ProviderKeys, ProviderKeyState } from '@bullpen/store';
import { ModelPauses, Ramp } from './model-pauses.js';

export interface SharedGateOptions {
  readonly key: ProviderKey;
  readonly keys: Pick<ProviderKeys, 'register' | 'read' | 'pause' | 'park'>;
  readonly logger: Logger;
  /** Milliseconds of a clock that is never set. @defaultValue performance.now */
  readonly now?: () => number;
}

/** A change that has still to reach the row. */
type Change =
  | {
      readonly kind: 'pause';
      readonly model: string;
      readonly until: number;
      readonly errorClass: string;
    }
  | { readonly kind: 'park'; readonly errorClass: string; readonly message: string };

const TROUBLED_POLL_MS = 1_000;
const CALM_POLL_MS = 5_000;
/** How long after the last trouble the row is still read often. */
const LATELY_MS = 30_000;

export class SharedGate implements ProviderGate {
  readonly key: string;
  readonly #options: SharedGateOptions;
  readonly #now: () => number;
  #parked: ProviderKeyState['parked'] = null;
  readonly #pauses = new ModelPauses();
  /** Since the key was resumed. */
  #ramp: Ramp | null = null;
  readonly #unsaved: Change[] = [];
  /** Rises with each change of our own: a read that began before it knows less than we do. */
  #version = 0;
  #troubleAt = -Infinity;
  #turns: Promise<void> = Promise.resolve();
  #failing = false;
  #refreshing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: SharedGateOptions) {
    this.#options = options;
    this.key = options.key.id;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Makes the key known and learns how it stands. Throws when the database cannot be reached. */
  async start(): Promise<void> {
    this.#apply(await this.#options.keys.register(this.#options.key));
    this.#schedule();
  }

  look(model: string): GateState {
    if (this.#parked) return { kind: 'parked', ...this.#parked };
    return this.#pauses.look(model, this.#now(), this.#ramp);
  }

  async pause(model: string, forMs: number, errorClass: ModelErrorClass): Promise<void> {
    const until = this.#now() + forMs;
    if (this.#pauses.add(model, until, errorClass))
      await this.#change({ kind: 'pause', model, until, errorClass });
  }

  async park(errorClass: ModelErrorClass, message: string): Promise<void> {
    if (this.#parked) return;
    this.#parked = { errorClass, message };
    this.#tell(`is parked: ${message}`);
    await this.#change({ kind: 'park', errorClass, message });
  }

  /** Reads the row again; calls that come while one waits for its turn share it. Never throws. */
  refresh(): Promise<void> {
    if (this.#refreshing) return this.#refreshing;
    const refreshing = this.#inTurn(async () => {
      this.#refreshing = null;
      if (!this.#closed) await this.#sync();
    });
    this.#refreshing = refreshing;
    return refreshing;
  }

  /** Stops reading, and stores what is not stored yet, if that goes. Never throws. */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    return this.#inTurn(() => this.#save());
  }

  #change(change: Change): Promise<void> {
    this.#version += 1;
    this.#troubleAt = this.#now();
    this.#unsaved.push(change);
    this.#schedule();
    return this.#inTurn(() => this.#save());
  }

  /** One after the other, so that an older answer of the database never comes after a newer one. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turns = this.#turns.then(work).then(
      () => {
        this.#failing = false;
      },
      (error: unknown) => {
        const { logger } = this.#options;
        if (!this.#failing) logger.warn({ err: error }, 'the provider key cannot be shared; trying again');
        this.#failing = true;
      },
    );
    return this.#turns;
  }

  async #sync(): Promise<void> {
    await this.#save();
    const version = this.#version;
    const state = await this.#options.keys.read(this.key);
    if (version === this.#version && this.#unsaved.length === 0) this.#apply(state);
  }

  /** Stores our own changes, oldest first; what fails stays for the next time. */
  async #save(): Promise<void> {
    for (let change = this.#unsaved[0]; change; change = this.#unsaved[0]) {
      const version = this.#version;
      const state = await this.#store(change);
      this.#unsaved.shift();
      if (version === this.#version && this.#unsaved.length === 0) this.#apply(state);
    }
  }

  #store(change: Change): Promise<ProviderKeyState> {
    const { key, keys } = this.#options;
    if (change.kind === 'park') return keys.park(key, change.errorClass, change.message);
    return keys.pause(key, change.model, Math.max(0, change.until - this.#now()), change.errorClass);
  }

  #apply({ parked, pauses }: ProviderKeyState): void {
    const now = this.#now();
    if (parked && !this.#parked) this.#tell('is parked by another worker');
    if (this.#parked !== null && parked === null) {
      this.#tell('is resumed');
      this.#ramp = new Ramp(now);
    }
    this.#parked = parked;
    this.#pauses.apply(pauses, now);
    if (parked || this.#pauses.isAnyOn(now)) this.#troubleAt = now;
  }

  #tell(what: string): void {
    this.#options.logger.warn({ providerKey: this.key }, `the provider key ${what}`);
  }

  #schedule(): void {
    if (this.#closed) return;
    if (this.#timer) clearTimeout(this.#timer);
    const troubled = this.#unsaved.length > 0 || this.#now() - this.#troubleAt < LATELY_MS;
    const look = () => void this.refresh().then(() => this.#schedule());
    this.#timer = setTimeout(look, troubled ? TROUBLED_POLL_MS : CALM_POLL_MS);
    this.#timer.unref();
  }
}
