/** The invariants of the design, checked on a live database: all of it (`bullpen doctor --invariants`), or a few trees at a time. */
import type { InvariantReport } from '@bullpen/contracts';
import type { ClientBase, Pool } from 'pg';
import { onConnection } from '../database/transaction.js';
import { i1NeverLost } from './i1-never-lost.js';
import { i2OneWriter } from './i2-one-writer.js';
import { i3ToolResults } from './i3-tool-results.js';
import { i4PaidOnce } from './i4-paid-once.js';
import { i5StartedOnce } from './i5-started-once.js';
import { i6Verbatim } from './i6-verbatim.js';
import { i7Gapless } from './i7-gapless.js';
import { i8AnsweredOnce } from './i8-answered-once.js';
import { i9CancelStops } from './i9-cancel-stops.js';
import { i10Budget } from './i10-budget.js';
import { i11HonestEnds } from './i11-honest-ends.js';
import { type Invariant, reportOn } from './invariant.js';

const INVARIANTS: readonly Invariant[] = [
  i1NeverLost,
  i2OneWriter,
  i3ToolResults,
  i4PaidOnce,
  i5StartedOnce,
  i6Verbatim,
  i7Gapless,
  i8AnsweredOnce,
  i9CancelStops,
  i10Budget,
  i11HonestEnds,
];

/**
 * One report for each invariant, I1 to I11, all on the same snapshot of the database: safe, and meaningful, while everything runs.
 * For the trees of these roots, or (null) for all. Changes nothing; takes one connection for as long as it lasts.
 */
export async function checkInvariants(
  pool: Pool,
  roots: readonly string[] | null = null,
): Promise<InvariantReport[]> {
  return onConnection(pool, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query('SET LOCAL statement_timeout = 0');
    const reports = await reportAll(client, roots);
    await client.query('COMMIT');
    return reports;
  });
}

/** The same on one connection, inside the caller's transaction. */
export async function reportAll(
  client: ClientBase,
  roots: readonly string[] | null = null,
): Promise<InvariantReport[]> {
  const reports: InvariantReport[] = [];
  // One connection does one statement at a time.
  for (const invariant of INVARIANTS) reports.push(await reportOn(client, invariant, roots));
  return reports;
}

/** Roots of trees after this one, by id, at most `limit`; the ids of tasks rise with the time of their creation. */
export async function nextRoots(pool: Pool, after: string, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ root_id: string }>(
    'SELECT root_id FROM budget_accounts WHERE root_id > $1 ORDER BY root_id LIMIT $2',
    [after, limit],
  );
  return rows.map((row) => row.root_id);
}
