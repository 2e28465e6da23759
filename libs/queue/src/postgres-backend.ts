/**
 * BullMQ's Postgres backend with two problems fixed.
 *
 * 1. It listens for errors of its listening connection only after it has awaited the connect, and no longer while it closes. A
 *    connection that is ended in between would end the process with it, or would seem to listen forever.
 * 2. It names its schema when it connects (`options=-c search_path=…`), which a pooler in between (PgBouncer) refuses.
 */
import { createPostgresBackend } from 'bullmq';
import { Client, type ClientConfig, type Pool } from 'pg';

/** As BullMQ's own factory. */
export const postgresBackend: typeof createPostgresBackend = (...args) => {
  const backend = createPostgresBackend(...args);
  // Where it takes the class of its listening connection from; its pool is made already, and connects when first used.
  Object.defineProperty(backend.connection, 'pgModule', { value: { Client: GuardedClient } });
  nameSchemaOnceConnected(backend.connection.pool as Pool);
  return backend;
};

function nameSchemaOnceConnected({ options }: Pool): void {
  const searchPath = takeSearchPath(options);
  if (searchPath === null) return;
  // Statements of a connection keep their order; when this one fails, the connection is lost, and so is the next.
  const { onConnect } = options;
  options.onConnect = (client) => {
    const begun = onConnect?.(client);
    client.query(searchPath).catch(() => undefined);
    return begun;
  };
}

/** The schema as a statement, taken out of what is said when connecting; null when it is not there. */
function takeSearchPath(config: ClientConfig): string | null {
  const path = /^-c search_path=(.+)$/.exec(config.options ?? '')?.[1];
  if (path === undefined) return null;
  delete config.options;
  return `SET search_path = ${path}`;
}

/** A client that always has a listener, and that counts as never connected if it is lost at once. */
class GuardedClient extends Client {
  #lost: Error | null = null;
  readonly #searchPath: string | null;

  constructor(given: ClientConfig) {
    const config = { ...given };
    const searchPath = takeSearchPath(config);
    super(config);
    this.#searchPath = searchPath;
    this.#listen();
  }

  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | void {
    return callback === undefined ? this.#connect() : super.connect(callback);
  }

  override removeAllListeners(...args: Parameters<Client['removeAllListeners']>): this {
    super.removeAllListeners(...args);
    return this.#listen();
  }

  async #connect(): Promise<Client> {
    await super.connect();
    try {
      if (this.#searchPath !== null) await this.query(this.#searchPath);
      if (this.#lost !== null) throw this.#lost;
      return this;
    } catch (error) {
      void this.end().catch(() => undefined); // It is broken already.
      throw error;
    }
  }

  #listen(): this {
    return this.on('error', (error) => (this.#lost ??= error));
  }
}
