/**
 * Bulk actions as work: what fits is written down when one is created, and then tried task by task, by whichever process holds its lease. A process
 * that dies leaves a lease that runs out and tasks that are still `left`; what was done is marked in the transaction that did it where doing it twice
 * would not come to the same.
 */
import { BulkVerb } from '@bullpen/contracts';
import type { Pool, PoolClient } from 'pg';
import { inTransaction, type Within } from '../database/transaction.js';
import { Prisma } from '../generated/client.js';
import { taskConditions, type TaskConditions } from '../queries/task-filter.js';

export interface NewBulkAction {
  readonly id: string;
  readonly tenantId: string;
  readonly action: BulkVerb;
  /** As it was given; null when the tasks were named. */
  readonly filter: unknown;
  /** The same for the database. */
  readonly conditions: TaskConditions;
  readonly createdBy: string;
}

export interface ClaimedBulk {
  readonly id: string;
  readonly tenantId: string;
  readonly action: BulkVerb;
  readonly createdAt: Date;
}

export interface LeftItem {
  readonly position: number;
  readonly taskId: string;
}

/** What became of one task. */
export type ItemEnd =
  | { readonly state: 'done'; readonly newTaskId?: string }
  | { readonly state: 'refused'; readonly reason: string };

export class BulkWork {
  constructor(private readonly pool: Pool) {}

  /** Stores an action with all tasks that fit now, those that were created first first. `within` runs in the same transaction. */
  create(
    { id, tenantId, action, filter, conditions, createdBy }: NewBulkAction,
    within?: Within,
  ): Promise<void> {
    return inTransaction(this.pool, async (client) => {
      await client.query(
        `INSERT INTO bulk_actions (id, tenant_id, action, filter, created_by) VALUES ($1, $2, $3, $4, $5)`,
        [id, tenantId, JSON.stringify(action), filter === null ? null : JSON.stringify(filter), createdBy],
      );
      const insert = Prisma.sql`INSERT INTO bulk_items (bulk_id, position, task_id)
        SELECT ${id}, row_number() OVER (ORDER BY t.created_at, t.id), t.id FROM tasks t WHERE ${taskConditions(tenantId, conditions)}`;
      await client.query(insert.text, insert.values as unknown[]);
      await within?.(client);
    });
  }

  /** Takes the action that has waited for the longest, for so long; null when nobody has to do anything. */
  async claim(leaseMs: number): Promise<ClaimedBulk | null> {
    const { rows } = await this.pool.query<{
      id: string;
      tenant_id: string;
      action: unknown;
      created_at: Date;
    }>(
      `UPDATE bulk_actions b SET lease_expires_at = now() + $1::int * interval '1 ms', worked_at = now()
       WHERE b.id = (SELECT id FROM bulk_actions WHERE ended_at IS NULL AND (lease_expires_at IS NULL OR lease_expires_at < now())
         ORDER BY worked_at NULLS FIRST, id LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING b.id, b.tenant_id, b.action, b.created_at`,
      [leaseMs],
    );
    const [row] = rows;
    if (row === undefined) return null;
    return {
      id: row.id,
      tenantId: row.tenant_id,
      action: BulkVerb.parse(row.action),
      createdAt: row.created_at,
    };
  }

  /** The next tasks to try; none of an action that somebody stopped. */
  async left(id: string, limit: number): Promise<LeftItem[]> {
    const { rows } = await this.pool.query<{ position: number; task_id: string }>(
      `SELECT i.position, i.task_id FROM bulk_items i JOIN bulk_actions b ON b.id = i.bulk_id
       WHERE i.bulk_id = $1 AND i.state = 'left' AND b.ended_at IS NULL ORDER BY i.position LIMIT $2`,
      [id, limit],
    );
    return rows.map(({ position, task_id: taskId }) => ({ position, taskId }));
  }

  /** Marks what became of a task; false when somebody else has. With a client it is part of that transaction. */
  async settle(
    id: string,
    position: number,
    end: ItemEnd,
    client: Pool | PoolClient = this.pool,
  ): Promise<boolean> {
    const { rowCount } = await client.query(
      `UPDATE bulk_items SET state = $3, reason = $4, new_task_id = $5 WHERE bulk_id = $1 AND position = $2 AND state = 'left'`,
      [
        ...[id, position, end.state],
        end.state === 'refused' ? end.reason : null,
        end.state === 'done' ? (end.newTaskId ?? null) : null,
      ],
    );
    return rowCount === 1;
  }

  /** Lets go of an action; it has ended when nothing of it is left. */
  async release(id: string): Promise<void> {
    await this.pool.query(
      `UPDATE bulk_actions b SET lease_expires_at = NULL,
         ended_at = CASE WHEN EXISTS (SELECT FROM bulk_items i WHERE i.bulk_id = b.id AND i.state = 'left') THEN NULL ELSE now() END
       WHERE b.id = $1 AND b.ended_at IS NULL`,
      [id],
    );
  }

  /** Ends an action where it is; false when the tenant has none with this id. Safe to repeat. */
  async stop(tenantId: string, id: string): Promise<boolean> {
    await this.pool.query(
      `UPDATE bulk_actions SET ended_at = now(), stopped = true WHERE id = $1 AND tenant_id = $2 AND ended_at IS NULL`,
      [id, tenantId],
    );
    const { rowCount } = await this.pool.query('SELECT FROM bulk_actions WHERE id = $1 AND tenant_id = $2', [
      id,
      tenantId,
    ]);
    return rowCount !== 0;
  }
}
