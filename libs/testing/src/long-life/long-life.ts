/**
 * A database after a long life: trees of ten tasks over a month, a sixth of them waiting, with everything around them that the product keeps. It holds the
 * invariants, and nothing of it is due: whatever is read or written there while nobody asks is too much.
 */
import { addUpUsage, type createPool } from '@bullpen/store';
import { FAMILY, KINDS, WEBHOOK } from './names.js';
import { TASK_ROWS } from './task-rows.js';
import { ROWS_AROUND, TREE_ROWS } from './tree-rows.js';

/** Tasks of one statement: none holds a transaction open for long. */
const SLICE = 10_000;

/** Fills a fresh database, which has the tenant `default`, with so many tasks; a hundred thousand take some minutes. */
export async function fillLongLife(
  pool: ReturnType<typeof createPool>,
  tasks: number,
  onSlice: (done: number) => void = () => undefined,
): Promise<void> {
  const client = await pool.connect();
  try {
    // Nothing of this has to survive a crash, and what the rows refer to is there.
    await client.query('SET synchronous_commit = off');
    await client.query('SET session_replication_role = replica');
    for (let from = 0; from < tasks; from += SLICE) {
      const last = Math.min(from + SLICE, tasks) - 1;
      for (const statement of [...TASK_ROWS, ...TREE_ROWS])
        await client.query(statement, statement.includes('$3') ? [from, last, tasks] : [from, last]);
      onSlice(last + 1);
    }
    for (const statement of ROWS_AROUND) await client.query(statement);
    await client.query('RESET ALL');
  } finally {
    client.release();
  }
  // As the gateway does.
  await addUpUsage(pool);
  await pool.query('VACUUM ANALYZE');
}

/** Ids of some of what is there, from the middle of the life. */
export function longLifeIds(tasks: number) {
  const round = KINDS * FAMILY;
  const first = Math.floor(tasks / 2 / round) * round;
  const waiting = first + (KINDS - 1) * FAMILY;
  const padded = (prefix: string, n: number) => `${prefix}_${String(n).padStart(26, '0')}`;
  return {
    ...{ root: padded('task', first), waiting: padded('task', waiting), asks: padded('task', waiting + 1) },
    ...{ webhook: WEBHOOK, bulk: padded('bulk', 1) },
  };
}
