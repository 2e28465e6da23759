/** Runs work in one transaction on one connection. */
import type { Pool, PoolClient } from 'pg';

/** What has to be part of a change's transaction, such as the record of an idempotency key. */
export type Within = (client: PoolClient) => Promise<void>;

/**
 * Runs work on one connection. A connection that failed is discarded, never put back into the pool: the server rolls back what was
 * open. If a connection is lost while no statement runs, the next statement notices (`beginSession`).
 */
export async function onConnection<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Commits what `work` did, or rolls back when it throws or asks for it by returning `rollback`. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return onConnection(pool, async (client) => {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query(result === 'rollback' ? 'ROLLBACK' : 'COMMIT');
    return result;
  });
}
