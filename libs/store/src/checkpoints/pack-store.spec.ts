/** Packs of checkpoints on a real database. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packStoreContract } from '@bullpen/core/testing';
import { createPool } from '@bullpen/store';
import { testDatabase, type TestDatabase } from '@bullpen/testing';
import type { Pool } from 'pg';
import { PostgresPackStore } from './pack-store.js';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await testDatabase();
  pool = createPool({ databaseUrl: database.url, max: 4, applicationName: 'packs' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

packStoreContract('in Postgres', async () => new PostgresPackStore(pool));

describe('chunks of packs in Postgres', () => {
  const chunks = async () =>
    Number((await pool.query('SELECT count(*) FROM checkpoint_pack_chunks')).rows[0].count);
  const pack = (line: string) => ({ id: 'p', line, holds: ['c'], base: null });
  async function* bytes(length: number): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(length);
  }

  it('go with their pack, and none are left of one that was there already', async () => {
    const packs = new PostgresPackStore(pool);
    const before = await chunks();
    await packs.put(pack('go'), bytes(1_200_000));
    expect(await chunks()).toBe(before + 3);
    await packs.put(pack('go'), bytes(1_200_000));
    expect(await chunks()).toBe(before + 3);
    await packs.removeLine('go');
    expect(await chunks()).toBe(before);
  });

  it('that a dead process left are removed with the next pack of the line', async () => {
    const packs = new PostgresPackStore(pool);
    await pool.query(
      `INSERT INTO checkpoint_packs (line, id, holds, bytes, created_at)
       VALUES ('left', 'upload-dead', '{}', -1, now() - interval '2 days'), ('left', 'upload-alive', '{}', -1, now())`,
    );
    await packs.put(pack('left'), bytes(1));
    const { rows } = await pool.query(`SELECT id FROM checkpoint_packs WHERE line = 'left' ORDER BY id`);
    expect(rows).toEqual([{ id: 'p' }, { id: 'upload-alive' }]);
  });
});
