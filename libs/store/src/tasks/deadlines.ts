/** Deadlines: a task that has started may sum up, one that has not just ends. */
import type { Pool, PoolClient } from 'pg';
import { cancelDescendants, closeEdges, effectsOf, lockSubtree, type Touched } from './cancellation.js';
import { effectsOfMoves, interruptOne } from './controls.js';
import type { CommitEffects } from './changes.js';
import { prepared } from '../steps/sql.js';
import { inTransaction } from '../database/transaction.js';

/** How long it may take until a worker claims a task that was told to sum up, in ms; after that it just ends. */
const SUM_UP_MS = 60_000;

interface Options {
  readonly pool: Pool;
  readonly onCommitted: (effects: CommitEffects) => void;
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
  for (const { id, interrupt } of rows) {
    const effects = await inTransaction(pool, (client) => (interrupt ? sumUp(client, id) : fail(client, id)));
    if (effects !== 'rollback') onCommitted(effects);
  }
}

async function sumUp(client: PoolClient, id: string): Promise<CommitEffects | 'rollback'> {
  const moved = await interruptOne(client, id, 'deadline');
  if (!moved) return 'rollback';
  const cancels = moved.running ? [{ tenantId: moved.tenant_id, rootId: moved.root_id }] : [];
  return { ...effectsOfMoves([moved]), cancels };
}

async function fail(client: PoolClient, id: string): Promise<CommitEffects | 'rollback'> {
  await lockSubtree(client, id);
  const failure = { cause: 'deadline', code: 'deadline', message: 'The deadline of the task has passed.' };
  const { rows } = await client.query<Touched>(prepared('fail-overdue', [id, JSON.stringify(failure)]));
  const own = rows[0];
  if (!own) return 'rollback'; // It came to run, or somebody moved the deadline.
  await client.query(prepared('write-off-calls', [[id]]));
  const orphans = await cancelDescendants(client, id);
  const parent = await closeEdges(client, id);
  return effectsOf([own, ...orphans], parent);
}
