import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createPool } from '@bullpen/store';
import { testDatabase, type TestDatabase } from '@bullpen/testing';
import type { Pool } from '../store-sweep/faulty-pool.js';
import { playWindow } from './window-world.js';

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

it('conversations that outgrow their windows again and again keep their books, and a rewind brings the same bytes back', async () => {
  for (const seed of [1, 2, 3, 4]) expect([seed, await playWindow(pool, seed)]).toEqual([seed, []]);
  const { rows } = await pool.query<{ kind: string }>(
    `SELECT DISTINCT reduction ->> 'kind' AS kind FROM api_messages WHERE reduction IS NOT NULL ORDER BY 1`,
  );
  expect(rows.map(({ kind }) => kind)).toEqual(['condense', 'mask', 'truncate']);
});
