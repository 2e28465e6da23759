import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPool } from '@bullpen/store';
import { testDatabase, type TestDatabase } from '@bullpen/testing';
import { FaultyPool, type Pool } from './faulty-pool.js';
import { sweepPostgres } from './sweep-postgres.js';

describe('worlds on Postgres', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await testDatabase();
    pool = createPool({ databaseUrl: database.url, max: 2 });
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('come to their end with nothing wrong, whatever dies', async () => {
    const signal = new AbortController().signal;
    const options = { seed: 1, seeds: 8, seconds: 25, maxFailures: 1, signal };
    const report = await sweepPostgres([database.url], options);
    expect(report.failures.map(({ seed, violations }) => [seed, violations])).toEqual([]);
    expect(report.seeds).toBeGreaterThan(0);
  });

  it('leave nothing of a transaction in which the process dies', async () => {
    await pool.query('CREATE TABLE marks (n int)');
    const died = new Promise<void>((resolve) => {
      const faulty = new FaultyPool(pool, (name) => {
        if (name !== 'COMMIT') return 'go';
        resolve();
        return 'die';
      }).asPool();
      void faulty.connect().then(async (client) => {
        await client.query('BEGIN');
        await client.query('INSERT INTO marks VALUES (1)');
        await client.query('COMMIT');
      });
    });
    await died;
    expect((await pool.query('SELECT n FROM marks')).rows).toEqual([]);
  });

  it('know whether they are inside a transaction', async () => {
    const faulty = new FaultyPool(pool, () => 'go');
    const client = await faulty.asPool().connect();
    await client.query('BEGIN');
    expect(faulty.isInside).toBe(true);
    await client.query('ROLLBACK');
    client.release();
    expect(faulty.isInside).toBe(false);
  });
});
