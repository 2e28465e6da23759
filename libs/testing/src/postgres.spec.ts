import { afterAll, describe, expect, it } from '@jest/globals';
import { createPool } from '@bullpen/store';
import { testDatabase, type TestDatabase } from './postgres.js';

describe('testDatabase', () => {
  const databases: TestDatabase[] = [];
  afterAll(() => Promise.all(databases.map((database) => database.drop())));

  it('gives each caller a migrated database of its own', async () => {
    const [a, b] = await Promise.all([testDatabase(), testDatabase()]);
    databases.push(a, b);
    const [first, second] = [createPool({ databaseUrl: a.url }), createPool({ databaseUrl: b.url })];
    try {
      await first.query("INSERT INTO tenants (id, name) VALUES ('t1', 'Tenant')");
      expect((await first.query('SELECT id FROM tenants')).rows).toEqual([{ id: 't1' }]);
      expect((await second.query('SELECT id FROM tenants')).rows).toEqual([]);
    } finally {
      await Promise.all([first.end(), second.end()]);
    }
  });

  it('drops a database that still has connections', async () => {
    const database = await testDatabase();
    const errors: Error[] = [];
    const pool = createPool({ databaseUrl: database.url, onError: (error) => errors.push(error) });
    await pool.query('SELECT 1');
    await database.drop();
    await expect(pool.query('SELECT 1')).rejects.toThrow();
    await pool.end();
  });
});
