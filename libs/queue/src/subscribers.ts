/** The listeners of one bus: what they share, whatever the messages came over. */
import type { BusMessage } from '@bullpen/contracts';
import type { BusListener } from './bus.js';
import type { QuietLog } from './quiet-log.js';

export class Subscribers {
  readonly #warn: QuietLog;
  readonly #all = new Set<{ readonly listener: BusListener; readonly onGap: () => void }>();

  constructor(warn: QuietLog) {
    this.#warn = warn;
  }

  /** Returns the function that ends the subscription; safe to call twice. */
  add(listener: BusListener, onGap: () => void = () => undefined): () => void {
    const entry = { listener, onGap };
    this.#all.add(entry);
    return () => this.#all.delete(entry);
  }

  /** Something came that cannot be read: it is left out, because readers look at the rows from time to time anyway. */
  readonly unread = (kind: string): void => this.#warn('a live event could not be read', kind);

  deliver(message: BusMessage): void {
    for (const { listener } of this.#all) this.#call(() => listener(message));
  }

  gap(): void {
    for (const { onGap } of this.#all) this.#call(onGap);
  }

  clear(): void {
    this.#all.clear();
  }

  #call(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#warn('a listener of live events threw', error);
    }
  }
}
