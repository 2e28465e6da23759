/**
 * Deletes trees that ended long ago. Each tree has its own transaction: either its usage is archived and its rows are deleted, or
 * neither. After a crash, trees are still whole, and the next run continues. Attachments that nothing can refer to any more go last.
 */
import { usdOf, type TaskState } from '@bullpen/contracts';
import type { Pool } from 'pg';
import { deleteUnusedAttachments } from '../media/unused-attachments.js';
import { lockSubtree } from './cancellation.js';
import { prepared } from '../steps/sql.js';
import { inTransaction } from '../database/transaction.js';

type EndedState = Extract<TaskState, 'completed' | 'failed' | 'cancelled'>;

/** Which trees. */
export interface PruneFilter {
  /** The root ended at least this long ago, in seconds. */
  readonly olderThanS: number;
  /** How the root ended. */
  readonly states: readonly EndedState[];
  /** Null: of all tenants. */
  readonly tenantId: string | null;
}

export interface PruneOptions extends PruneFilter {
  readonly pool: Pool;
  /** How many trees between checks of the signal and between reports. @defaultValue 50 */
  readonly batch?: number;
  /** Called before a tree's rows may go. A throw ends the run; the tree is kept. */
  readonly before?: (rootId: string) => Promise<void>;
  /** Called after each look at a tree, with whether its rows are gone. What it throws ends the run. */
  readonly after?: (rootId: string, gone: boolean) => Promise<void>;
  /** Called after each batch, with the sums so far. */
  readonly onBatch?: (soFar: PruneCount) => void;
}

export interface PruneCount {
  readonly trees: number;
  readonly tasks: number;
}

interface Root {
  readonly id: string;
  readonly tenant_id: string;
  readonly ended_at: Date;
}

/** Deletes what fits, batch by batch, until nothing is left or the signal fires; what ended first goes first. */
export async function pruneTrees(options: PruneOptions, signal: AbortSignal): Promise<PruneCount> {
  const { pool, batch = 50, onBatch } = options;
  let count: PruneCount = { trees: 0, tasks: 0 };
  let last: Root | undefined;
  // One tree after the other on purpose: pruning must never be what keeps the database busy.
  while (!signal.aborted) {
    const roots = await nextRoots(options, batch, last);
    if (roots.length === 0) break;
    const gone: Root[] = [];
    for (const root of roots) {
      if (signal.aborted) break;
      const tasks = await pruneTree(options, root.id);
      if (tasks > 0) gone.push(root);
      count = { trees: count.trees + (tasks > 0 ? 1 : 0), tasks: count.tasks + tasks };
    }
    await forgetAnswers(pool, gone);
    onBatch?.(count);
    last = roots.at(-1);
  }
  await deleteUnusedAttachments(pool);
  return count;
}

/** What `pruneTrees` would delete, and what it cost. */
export async function countPrunable(
  pool: Pool,
  filter: PruneFilter,
): Promise<PruneCount & { costUsd: string }> {
  const { rows } = await pool.query<{ trees: string; tasks: string; cost: string }>(
    `WITH old AS (
       SELECT t.id FROM tasks t
       WHERE t.parent_id IS NULL AND t.ended_at < now() - $1::bigint * interval '1 second' AND t.state::text = ANY ($2::text[])
         AND ($3::text IS NULL OR t.tenant_id = $3)
         AND NOT EXISTS (SELECT FROM tasks c WHERE c.root_id = t.id AND c.state NOT IN ('completed', 'failed', 'cancelled'))
         AND NOT EXISTS (
           SELECT FROM tasks f JOIN checkpoints c ON c.task_id = f.id JOIN workspaces w ON w.base = c.id
           WHERE f.root_id = t.id AND w.root_id <> t.id AND NOT EXISTS (SELECT FROM checkpoints own WHERE own.workspace_id = w.id))
     )
     SELECT (SELECT count(*) FROM old) AS trees, count(*) AS tasks, coalesce(sum(t.cost_nano_usd), 0) AS cost
     FROM old JOIN tasks t ON t.root_id = old.id`,
    [filter.olderThanS, filter.states, filter.tenantId],
  );
  const row = rows[0];
  return {
    trees: Number(row?.trees ?? 0),
    tasks: Number(row?.tasks ?? 0),
    costUsd: usdOf(BigInt(row?.cost ?? 0)),
  };
}

/** Those of the ids that are tasks. */
export async function knownTasks(pool: Pool, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM tasks WHERE id = ANY ($1)', [ids]);
  return new Set(rows.map(({ id }) => id));
}

async function nextRoots(options: PruneOptions, limit: number, last: Root | undefined): Promise<Root[]> {
  const { olderThanS, states, tenantId, pool } = options;
  const after = last === undefined ? ['-infinity', ''] : [last.ended_at, last.id];
  return (await pool.query<Root>(prepared('prunable-roots', [olderThanS, states, tenantId, limit, ...after])))
    .rows;
}

/**
 * Deletes one tree; returns how many tasks it had, 0 when it stays. Its rows are locked parents first, as everywhere: a retry that
 * came before keeps the tree, and one that comes after finds nothing.
 */
async function pruneTree(options: PruneOptions, rootId: string): Promise<number> {
  const { pool, olderThanS, states } = options;
  await options.before?.(rootId);
  const gone = await inTransaction(pool, async (client) => {
    await lockSubtree(client, rootId);
    // Whoever adds usage up meanwhile would take along what is archived here.
    await client.query('SELECT FROM usage_seals FOR SHARE');
    await client.query(prepared('archive-usage', [rootId]));
    const { rowCount } = await client.query(prepared('delete-tree', [rootId, olderThanS, states]));
    // If the tree stays, what was archived for it is rolled back with the rest.
    return rowCount === 0 || rowCount === null ? ('rollback' as const) : rowCount;
  });
  const tasks = gone === 'rollback' ? 0 : gone;
  await options.after?.(rootId, tasks > 0);
  return tasks;
}

/** Answers that were kept for repeated requests and show a task that is gone. */
async function forgetAnswers(pool: Pool, roots: readonly Root[]): Promise<void> {
  if (roots.length === 0) return;
  await pool.query(
    `DELETE FROM idempotency_keys WHERE (tenant_id, key) IN (
       SELECT k.tenant_id, k.key FROM unnest($1::text[], $2::text[]) AS gone(tenant_id, root_id) CROSS JOIN LATERAL (
         SELECT tenant_id, key FROM idempotency_keys WHERE location = '/v1/tasks/' || gone.root_id
         UNION ALL
         SELECT tenant_id, key FROM idempotency_keys WHERE coalesce(response ->> 'rootId', response ->> 'taskId') = gone.root_id) k
       WHERE k.tenant_id = gone.tenant_id)`,
    [roots.map(({ tenant_id }) => tenant_id), roots.map(({ id }) => id)],
  );
}
