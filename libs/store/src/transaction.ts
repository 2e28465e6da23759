/** Runs work in one transaction on one connection. */
import type { Pool, PoolClient } from 'pg';

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
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query(result === 'rollback' ? 'ROLLBACK' : 'COMMIT');
    return result;
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // Releasing with an error closes the connection, and the server rolls back what was open.
    client.release(broken);
  }
}
