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

export class StreamWatch {
  private readonly limits: WatchLimits;
  private readonly signal: AbortSignal;
  private byteTimer: NodeJS.Timeout | null = null;

  constructor(limits: WatchLimits, signal: AbortSignal) {
    this.limits = limits;
    this.signal = signal;
  }

  /** To be called for every piece of the body. */
  byteArrived(): void {
    this.byteTimer?.refresh();
  }

  /** The answer's headers; how long that may take is bounded by `idleEventMs` alone, as a long prompt is read meanwhile. */
  async forHeaders<T>(request: () => Promise<T>): Promise<T> {
    return this.race(request, (fail) => [this.eventTimer(fail)]);
  }

  /** The next event of the stream. */
  async forEvent<T>(next: () => Promise<T>): Promise<T> {
    return this.race(next, (fail) => {
      this.byteTimer = setTimeout(() => {
        fail(
          new ModelCallError(
            'network',
            `The model's stream stalled: no byte for ${this.limits.idleByteMs} ms.`,
          ),
        );
      }, this.limits.idleByteMs);
      return [this.eventTimer(fail), this.byteTimer];
    });
  }

  /** What may still come after a complete answer; not worth more than `ms`. */
  async forRest<T>(next: () => Promise<T>, ms: number): Promise<T> {
    return this.race(next, (fail) => [
      setTimeout(
        () => fail(new ModelCallError('network', 'The stream did not close after a complete answer.')),
        ms,
      ),
    ]);
  }

  private eventTimer(fail: (error: ModelCallError) => void): NodeJS.Timeout {
    const { idleEventMs } = this.limits;
    return setTimeout(() => {
      fail(new ModelCallError('network', `The model's stream stalled: no event for ${idleEventMs} ms.`));
    }, idleEventMs);
  }

  private async race<T>(
    start: () => Promise<T>,
    startTimers: (fail: (error: ModelCallError) => void) => NodeJS.Timeout[],
  ): Promise<T> {
    if (this.signal.aborted) throw aborted();
    let onAbort = (): void => undefined;
    let timers: NodeJS.Timeout[] = [];
    const failure = new Promise<never>((_, reject) => {
      onAbort = () => reject(aborted());
      timers = startTimers(reject);
      this.signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      // Racing also handles the loser, whose late rejection would otherwise be unhandled.
      return await Promise.race([failure, start()]);
    } finally {
      timers.forEach((timer) => clearTimeout(timer));
      this.byteTimer = null;
      this.signal.removeEventListener('abort', onAbort);
    }
  }
}

function aborted(): ModelCallError {
  return new ModelCallError('aborted', 'The model call was aborted.');
}
