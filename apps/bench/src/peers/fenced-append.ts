/** The floor of a durable step: one prepared statement that checks an epoch on a row and inserts one row, in the same Postgres. */
import type { Pool } from '../lab/database.js';

const TABLES = `
  CREATE TABLE IF NOT EXISTS bench_tasks (id int PRIMARY KEY, epoch int NOT NULL);
  CREATE TABLE IF NOT EXISTS bench_steps (task_id int NOT NULL, seq int NOT NULL, data json NOT NULL, PRIMARY KEY (task_id, seq));
  INSERT INTO bench_tasks SELECT n, 1 FROM generate_series(1, 64) n ON CONFLICT DO NOTHING`;

const APPEND = {
  name: 'fenced-append',
  text: `WITH fence AS (SELECT id FROM bench_tasks WHERE id = $1 AND epoch = $2 FOR NO KEY UPDATE)
    INSERT INTO bench_steps (task_id, seq, data) SELECT id, $3, $4 FROM fence`,
};
/** About what a step of the product writes. */
const DATA = JSON.stringify({ text: 'x'.repeat(800) });

let seq = 0;

/** Makes the tables once; safe to repeat. */
export async function prepareFencedAppend(pool: Pool): Promise<void> {
  await pool.query(TABLES);
}

/** So many appends one after the other, on rows of one task. Gives ms an append. */
export async function serialAppends(pool: Pool, count: number, task = 1): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < count; n += 1) {
    seq += 1;
    const { rowCount } = await pool.query({ ...APPEND, values: [task, 1, seq, DATA] });
    if (rowCount !== 1) throw new Error('The fenced append stored nothing');
  }
  return (performance.now() - start) / count;
}

/** So many appends on each of `lanes` tasks side by side. Gives appends a second. */
export async function parallelAppends(pool: Pool, lanes: number, each: number): Promise<number> {
  const start = performance.now();
  await Promise.all(Array.from({ length: lanes }, (_, lane) => serialAppends(pool, each, lane + 1)));
  return (lanes * each) / ((performance.now() - start) / 1_000);
}
