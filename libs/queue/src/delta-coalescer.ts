/**
 * Fewer updates: a model streams a hundred pieces a second, people see twenty. Merges adjacent pieces of one text into one delta.
 * Runs in the worker, before the bus.
 */
import type { LiveDelta } from '@bullpen/contracts';
import { deltaStream, deltaText, withText } from './delta-text.js';

export interface CoalescerClock {
  /** A clock in ms that never goes back. */
  now(): number;
  /** Calls `run` after `ms`; returns the function that prevents it. Must not keep the process alive. */
  schedule(run: () => void, ms: number): () => void;
}

interface DeltaCoalescerOptions {
  /** Takes the merged deltas. Must not throw: an event bus's `publish` does not. */
  readonly emit: (delta: LiveDelta) => void;
  /** Shortest time between two updates of one text, in ms. @defaultValue 50: 20 a second */
  readonly intervalMs?: number;
  /** Most updates a second of all texts together; many texts at once get fewer each. @defaultValue 2,000 */
  readonly maxPerSecond?: number;
  /** @defaultValue the process's clock */
  readonly clock?: CoalescerClock;
}

/** A text that grew within the last interval. */
interface Stream {
  readonly taskId: string;
  /** The first piece of those that wait. */
  pending: LiveDelta | null;
  /** All that waits. */
  text: string;
  emittedAt: number;
}

/** A pending piece is sent early when it gets longer than this, in characters, so that a burst cannot fill the memory. */
const MAX_PENDING_CHARS = 32_768;

export class DeltaCoalescer {
  readonly #emit: (delta: LiveDelta) => void;
  readonly #shortestMs: number;
  readonly #maxPerSecond: number;
  readonly #clock: CoalescerClock;
  readonly #streams = new Map<string, Stream>();
  #cancelTimer: (() => void) | null = null;

  constructor(options: DeltaCoalescerOptions) {
    this.#emit = options.emit;
    this.#shortestMs = options.intervalMs ?? 50;
    this.#maxPerSecond = options.maxPerSecond ?? 2_000;
    this.#clock = options.clock ?? processClock;
  }

  /**
   * Emits the delta at once when its text (same task, type and message or call) was quiet for an interval, else together with
   * what follows within the interval. A piece that does not touch the one that waits pushes that out first: order is kept, and
   * the rate may be exceeded for such a jump.
   */
  push(delta: LiveDelta): void {
    const key = deltaStream(delta);
    const stream = this.#streams.get(key);
    if (stream === undefined) {
      const { taskId } = delta;
      this.#streams.set(key, { taskId, pending: null, text: '', emittedAt: this.#clock.now() });
      this.#emit(delta);
      this.#arm(this.#intervalMs);
      return;
    }
    // This is run for every piece of every answer: nothing is made that is not sent.
    if (!goesOn(stream, delta)) this.#send(stream);
    stream.pending ??= delta;
    stream.text += deltaText(delta);
    if (stream.text.length > MAX_PENDING_CHARS) this.#send(stream);
  }

  /** Emits what waits for the task: call it before a durable step is announced, so that no delta comes after its row. */
  flush(taskId: string): void {
    for (const [key, stream] of this.#streams) {
      if (stream.taskId !== taskId) continue;
      this.#send(stream);
      this.#streams.delete(key);
    }
  }

  /** Emits everything that waits and stops the timer. Usable again afterwards. */
  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    for (const stream of this.#streams.values()) this.#send(stream);
    this.#streams.clear();
  }

  /** Hundreds of texts at full rate would keep a worker busy with updates that nobody can read that fast. */
  get #intervalMs(): number {
    return Math.max(this.#shortestMs, (this.#streams.size / this.#maxPerSecond) * 1_000);
  }

  #send(stream: Stream): void {
    const { pending, text } = stream;
    if (pending === null) return;
    stream.pending = null;
    stream.text = '';
    stream.emittedAt = this.#clock.now();
    this.#emit(withText(pending, pending.data.offset, text));
  }

  /** One timer for all texts: it wakes for the one that is due first. */
  #arm(ms: number): void {
    if (this.#cancelTimer !== null) return;
    this.#cancelTimer = this.#clock.schedule(() => {
      this.#cancelTimer = null;
      this.#sendDue();
    }, ms);
  }

  #sendDue(): void {
    const now = this.#clock.now();
    const interval = this.#intervalMs;
    let nextDue = Infinity;
    for (const [key, stream] of this.#streams) {
      const due = stream.emittedAt + interval;
      if (due <= now && stream.pending === null) {
        // Quiet for an interval: its next piece goes out at once again.
        this.#streams.delete(key);
        continue;
      }
      if (due <= now) this.#send(stream);
      nextDue = Math.min(nextDue, stream.emittedAt + interval);
    }
    if (nextDue < Infinity) this.#arm(Math.max(1, nextDue - now));
  }
}

/** Whether a piece begins where those end that wait, at the same place of the task's story. */
function goesOn({ pending, text }: Stream, { afterSeq, data }: LiveDelta): boolean {
  return pending?.afterSeq === afterSeq && pending.data.offset + text.length === data.offset;
}

const processClock: CoalescerClock = {
  now: () => performance.now(),
  schedule: (run, ms) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
