/** Deadlines: a task that has started may sum up, one that has not just ends. */
import type { TaskFailure } from '@bullpen/contracts';
import type { Pool, PoolClient } from 'pg';
import { eachAlone } from '../database/each-alone.js';
import { inTransaction } from '../database/transaction.js';
import { prepared } from '../steps/sql.js';
import { cancelDescendants, closeEdges, lockSubtree } from './cancellation.js';
import { tell, type Change, type OnCommitted } from './changes.js';
import { interruptOne } from './controls.js';

/** How long it may take until a worker claims a task that was told to sum up, in ms; after that it just ends. */
const SUM_UP_MS = 60_000;

interface Options {
  readonly pool: Pool;
  readonly onCommitted: OnCommitted;
  /** @defaultValue one minute */
  readonly sumUpMs?: number;
}

/** Handles up to `limit` tasks, each in its own transaction. */
export async function endOverdue(
  { pool, onCommitted, sumUpMs = SUM_UP_MS }: Options,
  limit: number,
): Promise<void> {
  const { rows } = await pool.query<{ id: string; interrupt: boolean }>(
    prepared('overdue-tasks', [sumUpMs, limit]),
  );
  await eachAlone(rows, async ({ id, interrupt }) => {
    const end = interrupt ? interruptOne : fail;
    tell(onCommitted, await inTransaction(pool, (client) => end(client, id, 'deadline')));
  });
}

/** Changes nothing when it came to run, or somebody moved the deadline. */
async function fail(client: PoolClient, id: string, cause: 'deadline'): Promise<readonly Change[]> {
  await lockSubtree(client, id);
  const failure: TaskFailure = { cause, code: cause, message: 'The deadline of the task has passed.' };
  const { rows } = await client.query<Change>(prepared('fail-overdue', [id, JSON.stringify(failure)]));
  if (rows.length === 0) return rows;
  await client.query(prepared('write-off-calls', [[id]]));
  return [...rows, ...(await cancelDescendants(client, id)), ...(await closeEdges(client, id))];
}
