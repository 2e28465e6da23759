/** One transaction on one connection, also when the connection is lost in its middle. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testDatabase, type TestDatabase } from '@bullpen/testing';
import { createPool, isUnreachable } from './pool.js';
import { inTransaction } from './transaction.js';

describe('a transaction', () => {
  let database: TestDatabase;
  let pool: ReturnType<typeof createPool>;
  beforeAll(async () => {
    database = await testDatabase();
    pool = createPool({ databaseUrl: database.url });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('whose connection is lost between two statements fails as unreachable, and the pool goes on', async () => {
    const work = inTransaction(pool, async (client) => {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      // Not `once` of node:events: that one listens for errors, too.
      const gone = new Promise<void>((resolve) => client.once('end', () => resolve()));
      await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      await gone;
      await client.query('SELECT 1');
    });
    const error = await work.catch((thrown: unknown) => thrown);
    expect(isUnreachable(error)).toBe(true);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});
