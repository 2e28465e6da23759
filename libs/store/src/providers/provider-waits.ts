/** Tasks that wait for a provider key, and what ends their wait. Level-triggered: it looks at what is, and a second look finds nothing. */
import type { Pool } from 'pg';
import { prepared } from '../steps/sql.js';
import { tell, type Change, type OnCommitted } from '../tasks/changes.js';

/** A worker that has not reported for this long counts as gone, in ms. Workers report every few seconds. */
export const WORKER_SEEN_MS = 30_000;

/** Where some workers have the parked key and others do not, a task tries its luck with them this often, in ms. */
const MIXED_PATIENCE_MS = 10_000;

interface Options {
  readonly pool: Pool;
  readonly onCommitted: OnCommitted;
}

/** Queues up to `limit` tasks that no longer have to wait for a key; returns how many. */
export async function wakeProviderWaits({ pool, onCommitted }: Options, limit: number): Promise<number> {
  const values = [limit, WORKER_SEEN_MS, MIXED_PATIENCE_MS];
  const { rows } = await pool.query<Change>(prepared('wake-provider-waits', values));
  tell(onCommitted, rows);
  return rows.length;
}
