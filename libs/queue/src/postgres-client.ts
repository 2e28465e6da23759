/** A Postgres connection for one purpose: opened when first needed, and again after it was lost. */
import { AppError } from '@bullpen/contracts';
import { Client } from 'pg';

interface PgConnectionOptions {
  readonly databaseUrl: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Bound of every statement and of connecting, in ms. @defaultValue 5000 */
  readonly timeoutMs?: number;
  /** Called once for every open connection that ends without `close`. */
  readonly onLost?: (error: Error) => void;
}

export class PgConnection {
  readonly #options: PgConnectionOptions;
  #client: Promise<Client> | null = null;
  #closed = false;

  constructor(options: PgConnectionOptions) {
    this.#options = options;
  }

  /** The open connection; concurrent callers share one connect. Throws what `pg` throws when there is none to be had. */
  open(setUp: (client: Client) => Promise<void> = () => Promise.resolve()): Promise<Client> {
    if (this.#closed) return Promise.reject(new AppError('database_unreachable', 'The connection is closed'));
    if (this.#client === null) {
      const opening: Promise<Client> = this.#connect(setUp, () => this.#forget(opening));
      opening.catch(() => this.#forget(opening));
      this.#client = opening;
    }
    return this.#client;
  }

  /** Ends the connection; the next `open` makes a new one. Never throws. */
  async drop(): Promise<void> {
    const opening = this.#client;
    this.#client = null;
    if (opening === null) return;
    const client = await opening.catch(() => null);
    if (client !== null) await endClient(client);
  }

  /** Ends the connection for good. Never throws; safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.drop();
  }

  /** True when the connection was still the one in use. */
  #forget(opening: Promise<Client>): boolean {
    if (this.#client !== opening) return false;
    this.#client = null;
    return true;
  }

  async #connect(setUp: (client: Client) => Promise<void>, forget: () => boolean): Promise<Client> {
    const timeoutMs = this.#options.timeoutMs ?? 5_000;
    const client = new Client({
      connectionString: this.#options.databaseUrl,
      application_name: this.#options.applicationName,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
    });
    // Without a listener a lost connection would end the process. `pg` may report one loss twice; only the first counts.
    client.on('error', (error) => {
      if (!forget()) return;
      void endClient(client);
      this.#options.onLost?.(error);
    });
    try {
      await client.connect();
      await setUp(client);
      return client;
    } catch (error) {
      await endClient(client);
      throw error;
    }
  }
}

/** A connection that is broken already has nothing more to say, so its failure to end is of no interest. */
async function endClient(client: Client): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, 1_000);
    timer.unref();
  });
  await Promise.race([client.end().catch(() => undefined), late]);
  clearTimeout(timer);
}
