/** Runs work in one transaction on one connection. */
import type { Pool, PoolClient } from 'pg';

/** What must stand or fall with a change, in its transaction: the record of an idempotency key, for one. */
export type Within = (client: PoolClient) => Promise<void>;

/**
 * Commits what `work` did, or rolls back when it throws or asks for it by returning `rollback`.
 * A connection that failed is thrown away, never put back into the pool.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T | 'rollback'>,
): Promise<T | 'rollback'> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that dies while no statement runs tells it only here; without a listener that would end the process.
  const onLost = (error: Error): void => {
    broken ??= error;
  };
  client.on('error', onLost);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query(result === 'rollback' ? 'ROLLBACK' : 'COMMIT');
    return result;
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.off('error', onLost);
    // Releasing with an error closes the connection, and the server rolls back what was open.
    client.release(broken);
  }
}
