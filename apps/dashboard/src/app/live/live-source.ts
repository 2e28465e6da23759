/**
 * The live events of this browser: one stream for all of its tabs, because a browser opens only six connections to a host. The tab that
 * holds a lock reads the stream and passes on what comes; when it is closed, another one takes the lock and goes on behind the last event
 * that it saw. Where there are no locks (a plain HTTP address in a network) each tab has a stream while it is seen.
 */
import { ApiError, isStored, type StreamItem } from '@bullpen/client';
import { bullpen } from '../bullpen.js';

export type ConnectionState = 'connecting' | 'live' | 'lost' | 'signed_out';

type Message =
  | { readonly kind: 'item'; readonly item: StreamItem }
  | { readonly kind: 'state'; readonly state: ConnectionState }
  /** A tab that has just been opened asks how things stand. */
  | { readonly kind: 'hello' };

const NAME = 'bullpen.live';
/** After a stream that ended in an error, in ms; the client itself has tried for a while by then. */
const RESTART_MS = 3_000;

export class LiveSource {
  readonly #items = new Set<(item: StreamItem) => void>();
  readonly #states = new Set<() => void>();
  readonly #channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(NAME) : null;
  #state: ConnectionState = 'connecting';
  #leads = false;
  #after: string | undefined;

  /** Begins to follow, until the signal fires. */
  start(signal: AbortSignal): void {
    const channel = this.#channel;
    if (channel === null || !('locks' in navigator)) return void this.#followWhileSeen(signal);
    const hear = ({ data }: MessageEvent<Message>): void => this.#hear(data);
    channel.addEventListener('message', hear);
    signal.addEventListener('abort', () => channel.removeEventListener('message', hear));
    channel.postMessage({ kind: 'hello' } satisfies Message);
    navigator.locks
      .request(NAME, { signal }, async () => {
        this.#leads = true;
        await this.#read(signal);
      })
      .catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Each item once, in order within its task. */
  onItem(listener: (item: StreamItem) => void): () => void {
    this.#items.add(listener);
    return () => this.#items.delete(listener);
  }

  onState(listener: () => void): () => void {
    this.#states.add(listener);
    return () => this.#states.delete(listener);
  }

  #hear(message: Message): void {
    if (message.kind === 'hello') {
      if (this.#leads) this.#tell({ kind: 'state', state: this.#state });
    } else if (!this.#leads) this.#take(message);
  }

  #take(message: Exclude<Message, { kind: 'hello' }>): void {
    if (message.kind === 'state') {
      if (message.state === this.#state) return;
      this.#state = message.state;
      for (const listener of this.#states) listener();
      return;
    }
    if (isStored(message.item)) this.#after = message.item.cursor;
    for (const listener of this.#items) listener(message.item);
  }

  /** To this tab and to the others. */
  #give(message: Exclude<Message, { kind: 'hello' }>): void {
    this.#take(message);
    this.#tell(message);
  }

  #tell(message: Message): void {
    if (this.#leads) this.#channel?.postMessage(message);
  }

  /** Reads the stream, as long as it takes. */
  async #read(signal: AbortSignal): Promise<void> {
    const onConnection = (isThere: boolean): void =>
      this.#give({ kind: 'state', state: isThere ? 'live' : 'lost' });
    while (!signal.aborted) {
      try {
        const stream = bullpen.events.stream({ after: this.#after, signal, onConnection });
        for await (const item of stream) this.#give({ kind: 'item', item });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.code === 'unauthorized')
          return this.#give({ kind: 'state', state: 'signed_out' });
        this.#give({ kind: 'state', state: 'lost' });
        await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
      }
    }
  }

  async #followWhileSeen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await seen(true, signal);
      const hidden = new AbortController();
      void seen(false, signal).then(() => hidden.abort());
      await this.#read(AbortSignal.any([signal, hidden.signal]));
    }
  }
}

/** Resolves when the tab is seen, or is not; also when the signal fires. */
function seen(wanted: boolean, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if ((document.visibilityState === 'visible') !== wanted && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}
