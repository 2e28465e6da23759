/**
 * What a bus has yet to send: the first after a pause goes at once, what follows is gathered for a moment; sent in batches, bounded in memory. When sending falls behind, deltas go
 * first, because a reader sees by the offset that one is missing; nudges are kept, as they are small and merge by task.
 */
import { plural, type BusMessage } from '@bullpen/contracts';
import { BUS_TIMEOUT_MS, GATHER_MS } from './bus.js';
import { deltaText } from './delta-text.js';
import { reconnectDelayMs } from './connection.js';
import type { QuietLog } from './quiet-log.js';
import { settlesWithin } from './within.js';

export interface OutboxOptions {
  /** Sends a batch, in order. A throw brings its nudges back for the next try; its deltas are lost. */
  readonly send: (batch: readonly BusMessage[]) => Promise<void>;
  readonly warn: QuietLog;
  /** @defaultValue 5000 messages */
  readonly maxMessages?: number;
  /** Characters of delta text. @defaultValue 2 million */
  readonly maxText?: number;
}

export class Outbox {
  readonly #options: Required<OutboxOptions>;
  #waiting: BusMessage[] = [];
  #text = 0;
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #failures = 0;
  /** When the last batch went, on the process's clock. */
  #sentAt = -Infinity;
  #dropped = 0;
  #closed = false;

  constructor(options: OutboxOptions) {
    this.#options = { maxMessages: 5_000, maxText: 2_000_000, ...options };
  }

  /** Deltas dropped so far, because sending fell behind or failed. */
  get dropped(): number {
    return this.#dropped;
  }

  push(message: BusMessage): void {
    if (this.#closed) return;
    this.#waiting.push(message);
    this.#text += textOf(message);
    if (this.#waiting.length > this.#options.maxMessages || this.#text > this.#options.maxText)
      this.#shrink();
    this.#schedule(this.#gatherMs());
  }

  /** Sends what waits, within 2 s, and takes nothing more. Never throws. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await settlesWithin(BUS_TIMEOUT_MS, this.#sendAll());
  }

  #schedule(delayMs: number): void {
    if (this.#timer !== null || this.#sending !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#sending = this.#sendOnce().finally(() => {
        this.#sending = null;
        if (this.#waiting.length > 0 && !this.#closed)
          this.#schedule(Math.max(this.#gatherMs(), this.#backoffMs()));
      });
    }, delayMs);
    this.#timer.unref();
  }

  async #sendAll(): Promise<void> {
    await this.#sending;
    if (this.#waiting.length > 0) await this.#sendOnce();
  }

  async #sendOnce(): Promise<void> {
    const batch = mergeRows(this.#waiting);
    this.#waiting = [];
    this.#text = 0;
    this.#sentAt = performance.now();
    try {
      await this.#options.send(batch);
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#options.warn('live events could not be sent', error);
      this.#keep(
        [...batch.filter((message) => message.kind !== 'delta'), ...this.#waiting],
        countDeltas(batch),
      );
    }
  }

  #gatherMs(): number {
    return Math.max(0, this.#sentAt + GATHER_MS - performance.now());
  }

  #backoffMs(): number {
    return this.#failures === 0 ? 0 : reconnectDelayMs(this.#failures);
  }

  /** Down to half of the bounds, so that not every message over them costs a pass: oldest deltas first, then oldest nudges. */
  #shrink(): void {
    const waiting = mergeRows(this.#waiting);
    let excess = waiting.length - Math.floor(this.#options.maxMessages / 2);
    let excessText = this.#text - Math.floor(this.#options.maxText / 2);
    const rest = waiting.filter((message) => {
      if (message.kind !== 'delta' || (excess <= 0 && excessText <= 0)) return true;
      excess -= 1;
      excessText -= textOf(message);
      return false;
    });
    const lost = countDeltas(waiting) - countDeltas(rest);
    this.#keep(rest, lost);
    if (lost > 0)
      this.#options.warn(
        'live events are falling behind: deltas were dropped',
        `${plural(waiting.length, 'message')} waited`,
      );
  }

  #keep(messages: readonly BusMessage[], lostDeltas: number): void {
    this.#waiting = mergeRows(messages).slice(-this.#options.maxMessages);
    this.#text = this.#waiting.reduce((sum, message) => sum + textOf(message), 0);
    this.#dropped += lostDeltas;
  }
}

/** Without nudges that a later one of the same task replaces, as long as there is no delta of that task in between. */
export function mergeRows(messages: readonly BusMessage[]): BusMessage[] {
  const merged: BusMessage[] = [];
  const openRows = new Map<string, number>();
  for (const message of messages) {
    if (message.kind === 'delta') openRows.delete(message.delta.taskId);
    if (message.kind !== 'rows') {
      merged.push(message);
      continue;
    }
    const at = openRows.get(message.taskId);
    const earlier = at === undefined ? undefined : merged[at];
    if (at !== undefined && earlier?.kind === 'rows') {
      if (message.seq > earlier.seq) merged[at] = message;
    } else {
      openRows.set(message.taskId, merged.length);
      merged.push(message);
    }
  }
  return merged;
}

function countDeltas(messages: readonly BusMessage[]): number {
  return messages.filter((message) => message.kind === 'delta').length;
}

function textOf(message: BusMessage): number {
  return message.kind === 'delta' ? deltaText(message.delta).length : 0;
}
