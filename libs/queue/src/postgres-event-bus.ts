/**
 * The event bus on Postgres NOTIFY. Sends on a connection of its own and never inside a step's transaction: a NOTIFY takes a
 * lock that all of the database's notifying commits share, which made steps 3 to 10 times slower when measured. Listens on
 * another connection, which is rebuilt when it is lost.
 */
import type { BusMessage } from '@bullpen/contracts';
import type { Logger } from '@bullpen/platform';
import type { Client } from 'pg';
import { BUS_TIMEOUT_MS, type BusListener, type EventBus } from './bus.js';
import { reconnectDelayMs } from './connection.js';
import { packMessages, unpackMessages } from './notify-payload.js';
import { Outbox } from './outbox.js';
import { PgConnection } from './postgres-client.js';
import { quietLog, type QuietLog } from './quiet-log.js';
import { Subscribers } from './subscribers.js';
import { pause, settlesWithin } from './within.js';

export interface PostgresEventBusOptions {
  readonly databaseUrl: string;
  readonly logger: Logger;
  /**
   * A listening connection does not notice when its peer disappears silently; asked this often, in ms, it does.
   *
   * @defaultValue 5 s
   */
  readonly heartbeatMs?: number;
}

const CHANNEL = 'bullpen_events';

/** One statement, so one commit and one lock, for a whole batch. */
const NOTIFY = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload';

export class PostgresEventBus implements EventBus {
  readonly #warn: QuietLog;
  readonly #sender: PgConnection;
  readonly #receiver: PgConnection;
  readonly #outbox: Outbox;
  readonly #subscribers: Subscribers;
  readonly #stop = new AbortController();
  readonly #heartbeatMs: number;
  #lost: (() => void) | null = null;
  #live: Promise<void> | null = null;
  #listening: Promise<void> | null = null;

  constructor(options: PostgresEventBusOptions) {
    const { databaseUrl } = options;
    this.#warn = quietLog(options.logger);
    this.#heartbeatMs = options.heartbeatMs ?? 5_000;
    this.#sender = new PgConnection({
      databaseUrl,
      applicationName: 'bullpen bus sender',
      onLost: this.#onSenderLost,
    });
    this.#receiver = new PgConnection({
      databaseUrl,
      applicationName: 'bullpen bus listener',
      onLost: (error) => this.#onReceiverLost(error),
    });
    this.#outbox = new Outbox({ send: (batch) => this.#send(batch), warn: this.#warn });
    this.#subscribers = new Subscribers(this.#warn);
  }

  publish(message: BusMessage): void {
    this.#outbox.push(message);
  }

  async subscribe(listener: BusListener, onGap?: () => void): Promise<() => Promise<void>> {
    const end = this.#subscribers.add(listener, onGap);
    this.#live ??= new Promise((resolve) => {
      this.#listening = this.#keepListening(resolve);
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
    this.#lost?.();
    this.#subscribers.clear();
    await Promise.all([this.#sender.close(), this.#receiver.close()]);
    await this.#listening;
  }

  readonly #onSenderLost = (error: Error): void =>
    this.#warn('connection for sending live events was lost', error);

  #onReceiverLost(error: Error): void {
    this.#warn('connection for live events was lost', error);
    this.#lost?.();
  }

  async #send(batch: readonly BusMessage[]): Promise<void> {
    const payloads = packMessages(batch, undefined, (kind) =>
      this.#warn('a live event is too large to be sent, and left out', kind),
    );
    if (payloads.length === 0) return;
    const client = await this.#sender.open();
    try {
      await client.query(NOTIFY, [CHANNEL, payloads]);
    } catch (error) {
      // After a time-out the connection may still be busy with the statement; a new one is not.
      await this.#sender.drop();
      throw error;
    }
  }

  /** Listens until the bus closes. Every LISTEN after a failure or a loss means a gap: what was sent meanwhile is gone. */
  async #keepListening(onLive: () => void): Promise<void> {
    const { signal } = this.#stop;
    let gap = false;
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        const lost = new Promise<void>((resolve) => {
          this.#lost = resolve;
        });
        const client = await this.#receiver.open((opened) => this.#listen(opened));
        tries = 0;
        onLive();
        if (gap) this.#subscribers.gap();
        await this.#watch(client, lost);
      } catch (error) {
        if (!signal.aborted) this.#warn('cannot listen for live events', error);
      }
      gap = true;
      await pause(reconnectDelayMs(Math.max(tries, 1)), signal);
    }
  }

  async #listen(client: Client): Promise<void> {
    client.on('notification', ({ payload }) => {
      for (const message of unpackMessages(payload ?? '', this.#subscribers.unread))
        this.#subscribers.deliver(message);
    });
    await client.query(`LISTEN ${CHANNEL}`);
  }

  /** Resolves when the connection is lost; finds out by asking, too. */
  async #watch(client: Client, lost: Promise<void>): Promise<void> {
    const ended = new AbortController();
    void lost.then(() => ended.abort());
    try {
      while (!ended.signal.aborted) {
        await pause(this.#heartbeatMs, ended.signal);
        if (!ended.signal.aborted) await client.query('SELECT 1');
      }
    } finally {
      await this.#receiver.drop();
    }
  }
}
