/** What an event bus over a server does, whichever server it is: sends in batches, listens once for all subscribers, and ends both. */
import type { BusMessage } from '@bullpen/contracts';
import type { Logger } from '@bullpen/platform';
import { BUS_TIMEOUT_MS, type BusListener, type EventBus } from './bus.js';
import { Outbox } from './outbox.js';
import { quietLog, type QuietLog } from './quiet-log.js';
import { Subscribers } from './subscribers.js';
import { settlesWithin } from './within.js';

export abstract class ServerEventBus implements EventBus {
  protected readonly warn: QuietLog;
  protected readonly subscribers: Subscribers;
  readonly #outbox: Outbox;
  readonly #stop = new AbortController();
  #live: Promise<void> | null = null;
  #following: Promise<void> | null = null;

  constructor(logger: Logger) {
    this.warn = quietLog(logger);
    this.subscribers = new Subscribers(this.warn);
    this.#outbox = new Outbox({ send: (batch) => this.send(batch), warn: this.warn });
  }

  /** Aborted when the bus closes. */
  protected get signal(): AbortSignal {
    return this.#stop.signal;
  }

  protected abstract send(batch: readonly BusMessage[]): Promise<void>;

  /** Delivers what others send until the bus closes, and says once when it has begun. Every loss in between means a gap. */
  protected abstract follow(onLive: () => void): Promise<void>;

  /** Ends the connections, so that what waits on them ends, too. */
  protected abstract disconnect(): Promise<void> | void;

  publish(message: BusMessage): void {
    this.#outbox.push(message);
  }

  async subscribe(listener: BusListener, onGap?: () => void): Promise<() => Promise<void>> {
    const end = this.subscribers.add(listener, onGap);
    this.#live ??= new Promise((resolve) => {
      this.#following = this.follow(resolve);
    });
    await settlesWithin(BUS_TIMEOUT_MS, this.#live);
    return () => {
      end();
      return Promise.resolve();
    };
  }

  async close(): Promise<void> {
    await this.#outbox.close();
    this.#stop.abort();
    this.subscribers.clear();
    await this.disconnect();
    await this.#following;
  }
}
