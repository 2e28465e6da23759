/** Ends of tasks without subtasks: those that are asked for at the same moment share a transaction, and are sent without waiting for an answer in between. */
import type { Pool, QueryConfig, QueryResult } from 'pg';
import { onConnection } from '../database/transaction.js';
import { prepared } from '../steps/sql.js';
import type { Change } from './changes.js';
import type { StepRow } from './step-rows.js';

/** Whoever holds the rows of one family that long does not keep the others waiting: each end is asked for alone then. */
const PATIENCE = `SET LOCAL lock_timeout = '1s'`;

export interface Ending {
  readonly taskId: string;
  /** The step that ends it. */
  readonly statement: QueryConfig;
}

export interface Ended {
  /** What each statement gave, in their order. */
  readonly rows: readonly (StepRow | undefined)[];
  /** The parents that were told. */
  readonly parents: readonly Change[];
}

/**
 * Stores all of them, or gives null when the server refused something, and then nothing was stored. The rows of parents are locked first and in one order, as by
 * everybody who ends a task, and are held for one round trip. Rejects when nobody knows what was stored.
 */
export async function endTogether(pool: Pool, endings: readonly Ending[]): Promise<Ended | null> {
  const ids = endings.map(({ taskId }) => taskId);
  return onConnection(pool, async (client) => {
    const begun = [
      client.query('BEGIN'),
      client.query(PATIENCE),
      client.query(prepared('lock-families', [ids])),
    ];
    const steps = endings.map(({ statement }) => client.query<StepRow>(statement));
    const parents = client.query<Change>(prepared('close-edges', [ids]));
    const committed = client.query('COMMIT');
    // All of them, so that a connection that is lost in the middle leaves no rejection that nobody has seen.
    await Promise.allSettled([...begun, ...steps, parents, committed]);
    // A transaction in which anything failed is rolled back, whatever it is told.
    if (!isCommit(await committed)) return null;
    const results = await Promise.all(steps);
    return { rows: results.map(({ rows }) => rows[0]), parents: (await parents).rows };
  });
}

function isCommit({ command }: QueryResult): boolean {
  return command === 'COMMIT';
}
