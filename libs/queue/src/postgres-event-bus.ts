/**
 * The event bus on Postgres NOTIFY. Sends on a connection of its own and never inside a step's transaction: a NOTIFY takes a
 * lock that all of the database's notifying commits share, which made steps 3 to 10 times slower when measured. Listens on
 * another connection, which is rebuilt when it is lost.
 */
import type { BusMessage } from '@bullpen/contracts';
import type { Logger } from '@bullpen/platform';
import type { Client } from 'pg';
import { reconnectDelayMs } from './connection.js';
import { packMessages, unpackMessages } from './notify-payload.js';
import { PgConnection } from './postgres-client.js';
import { ServerEventBus } from './server-event-bus.js';
import { pause } from './within.js';

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

export class PostgresEventBus extends ServerEventBus {
  readonly #sender: PgConnection;
  readonly #receiver: PgConnection;
  readonly #heartbeatMs: number;
  #lost: (() => void) | null = null;

  constructor(options: PostgresEventBusOptions) {
    super(options.logger);
    const { databaseUrl } = options;
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
  }

  protected async disconnect(): Promise<void> {
    this.#lost?.();
    await Promise.all([this.#sender.close(), this.#receiver.close()]);
  }

  readonly #onSenderLost = (error: Error): void =>
    this.warn('connection for sending live events was lost', error);

  #onReceiverLost(error: Error): void {
    this.warn('connection for live events was lost', error);
    this.#lost?.();
  }

  protected async send(batch: readonly BusMessage[]): Promise<void> {
    const payloads = packMessages(batch, undefined, (kind) =>
      this.warn('a live event is too large to be sent, and left out', kind),
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
  protected async follow(onLive: () => void): Promise<void> {
    const { signal } = this;
    let gap = false;
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        const lost = new Promise<void>((resolve) => {
          this.#lost = resolve;
        });
        const client = await this.#receiver.open((opened) => this.#listen(opened));
        tries = 0;
        onLive();
        if (gap) this.subscribers.gap();
        await this.#watch(client, lost);
      } catch (error) {
        if (!signal.aborted) this.warn('cannot listen for live events', error);
      }
      gap = true;
      await pause(reconnectDelayMs(Math.max(tries, 1)), signal);
    }
  }

  async #listen(client: Client): Promise<void> {
    client.on('notification', ({ payload }) => {
      for (const message of unpackMessages(payload ?? '', this.subscribers.unread))
        this.subscribers.deliver(message);
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
