/**
 * BullMQ's Postgres backend with one habit corrected: it listens for errors of its listening connection only after it has awaited the
 * connect, and no more while it closes. A connection that is ended in between would end the process with it, or would be taken
 * for one that hears for ever.
 */
import { createPostgresBackend } from 'bullmq';
import { Client } from 'pg';

/** As BullMQ's own factory. */
export const postgresBackend: typeof createPostgresBackend = (...args) => {
  const backend = createPostgresBackend(...args);
  // Where it takes the class of its listening connection from; its pool is made already.
  Object.defineProperty(backend.connection, 'pgModule', { value: { Client: GuardedClient } });
  return backend;
};

/** A client that is never without a listener, and that was never connected when it is lost with its first words. */
class GuardedClient extends Client {
  #lost: Error | null = null;

  constructor(config: ConstructorParameters<typeof Client>[0]) {
    super(config);
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
    if (this.#lost === null) return this;
    void this.end().catch(() => undefined); // It is broken already.
    throw this.#lost;
  }

  #listen(): this {
    return this.on('error', (error) => (this.#lost ??= error));
  }
}
