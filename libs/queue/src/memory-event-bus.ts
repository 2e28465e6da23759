/** The event bus within one process, for tests and for parts that run without servers. */
import type { BusMessage } from '@bullpen/contracts';
import { silentLogger, type Logger } from '@bullpen/platform';
import type { BusListener, EventBus } from './bus.js';
import { quietLog } from './quiet-log.js';
import { Subscribers } from './subscribers.js';

/** What several `MemoryEventBus`es share, as processes share a server. */
export class MemoryBusHub {
  readonly #listeners = new Set<BusListener>();

  publish(message: BusMessage): void {
    for (const listener of this.#listeners) listener(message);
  }

  join(listener: BusListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Delivers in a later microtask, so that a publisher never runs listeners in its own call. Nothing is ever missed. */
export class MemoryEventBus implements EventBus {
  readonly #hub: MemoryBusHub;
  readonly #subscribers: Subscribers;
  readonly #leave: () => void;
  #closed = false;

  constructor(hub: MemoryBusHub = new MemoryBusHub(), logger: Logger = silentLogger()) {
    this.#hub = hub;
    this.#subscribers = new Subscribers(quietLog(logger));
    this.#leave = hub.join((message) => this.#subscribers.deliver(message));
  }

  publish(message: BusMessage): void {
    if (this.#closed) return;
    // A copy, as any wire would make one.
    const copy = structuredClone(message);
    queueMicrotask(() => this.#hub.publish(copy));
  }

  subscribe(listener: BusListener, onGap?: () => void): Promise<() => Promise<void>> {
    const end = this.#subscribers.add(listener, onGap);
    return Promise.resolve(() => {
      end();
      return Promise.resolve();
    });
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#leave();
    this.#subscribers.clear();
    return Promise.resolve();
  }
}
