/**
 * Bounds every wait for the provider: by our signal, by the silence of the stream, by the silence of the connection. Time counts
 * only while somebody waits, so a slow reader is never mistaken for a dead stream. After an abort nothing is started.
 */
import { ModelCallError } from './errors.js';

export interface WatchLimits {
  /** Longest wait for the next event. Pings are none. */
  readonly idleEventMs: number;
  /** Longest wait for any byte of an open stream; pings count. */
  readonly idleByteMs: number;
}

/** Null: none has arrived yet, or none will come. */
interface Events<T> {
  arrived(): T | null;
  next(): Promise<T | null>;
}

export class StreamWatch {
  readonly #signal: AbortSignal;
  /** One of each for the whole stream, started anew with each wait; without one they say nothing. */
  readonly #eventTimer: NodeJS.Timeout;
  #byteTimer: NodeJS.Timeout | null = null;
  /** Ends the wait that is on. */
  #fail: ((error: ModelCallError) => void) | null = null;

  constructor(
    private readonly limits: WatchLimits,
    signal: AbortSignal,
  ) {
    this.#signal = signal;
    this.#eventTimer = this.#timer('event', limits.idleEventMs);
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** To be called for every piece of the body. */
  byteArrived(): void {
    this.#byteTimer?.refresh();
  }

  /** The answer's headers; how long that may take is bounded by `idleEventMs` alone, as a long prompt is read meanwhile. */
  async forHeaders<T>(request: () => Promise<T>): Promise<T> {
    this.#eventTimer.refresh();
    return this.#wait(request);
  }

  /** The next event of the stream: one that is there, or else one that is waited for. */
  async forEvent<T>(events: Events<T>): Promise<T | null> {
    if (this.#signal.aborted) throw aborted();
    const there = events.arrived();
    if (there !== null) return there;
    this.#eventTimer.refresh();
    this.#byteTimer ??= this.#timer('byte', this.limits.idleByteMs);
    this.#byteTimer.refresh();
    return this.#wait(() => events.next());
  }

  /** What may still come after a complete answer; not worth more than `ms`. */
  async forRest(read: () => Promise<void>, ms: number): Promise<void> {
    this.#stopTimers();
    const timer = setTimeout(() => {
      this.#fail?.(new ModelCallError('network', 'The stream did not close after a complete answer.'));
    }, ms);
    return this.#wait(read).finally(() => clearTimeout(timer));
  }

  /** Nothing is waited for any more. */
  close(): void {
    this.#stopTimers();
    this.#signal.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => this.#fail?.(aborted());

  #stopTimers(): void {
    clearTimeout(this.#eventTimer);
    clearTimeout(this.#byteTimer ?? undefined);
    this.#byteTimer = null;
  }

  #timer(what: 'event' | 'byte', ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#fail?.(new ModelCallError('network', `The model's stream stalled: no ${what} for ${ms} ms.`));
    }, ms);
  }

  async #wait<T>(start: () => Promise<T>): Promise<T> {
    if (this.#signal.aborted) throw aborted();
    try {
      // What comes after a failure is handled as well: a late rejection would be nobody's.
      return await new Promise<T>((resolve, reject) => {
        this.#fail = reject;
        start().then(resolve, reject);
      });
    } finally {
      this.#fail = null;
    }
  }
}

function aborted(): ModelCallError {
  return new ModelCallError('aborted', 'The model call was aborted.');
}
