/** What the rows say of stored checkpoints: of which trees they may be thinned out, and what stays. */
import type { Pool } from 'pg';
import { lockSubtree } from '../tasks/cancellation.js';
import { inTransaction } from '../database/transaction.js';

export class CheckpointHouse {
  constructor(private readonly pool: Pool) {}

  /** Those of the lines whose trees are over, or gone; what ended first comes first. */
  async over(lines: readonly string[], forDays: number): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ id: string }>(
      `SELECT r.id FROM tasks r WHERE r.id = ANY ($1) AND r.ended_at < now() - $2::int * interval '1 day' AND NOT EXISTS (${UNFINISHED})
       ORDER BY r.ended_at, r.id`,
      [lines, forDays],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Deletes the rows of a tree that is over, but for the first and the newest state of each workspace and those that something else needs. Gives
   * the commits that are left; null when the tree goes on.
   */
  async thin(rootId: string): Promise<readonly string[] | null> {
    const left = await inTransaction(this.pool, async (client) => {
      await lockSubtree(client, rootId);
      const { rows: over } = await client.query(
        `SELECT FROM tasks r WHERE r.id = $1 AND NOT EXISTS (${UNFINISHED})`,
        [rootId],
      );
      if (over.length === 0) return 'rollback' as const;
      await client.query(THIN, [rootId]);
      const { rows } = await client.query<{ commit: string }>(
        'SELECT DISTINCT commit FROM checkpoints WHERE root_id = $1',
        [rootId],
      );
      return rows.map(({ commit }) => commit);
    });
    return left === 'rollback' ? null : left;
  }
}

const UNFINISHED = `SELECT FROM tasks t WHERE t.root_id = r.id AND t.state NOT IN ('completed', 'failed', 'cancelled')`;
/** A copy that was made from a state names it, and so do restores; whoever begins from one needs it until there is a state of its own. */
const THIN = `
  WITH seen AS (
    SELECT id, row_number() OVER (PARTITION BY workspace_id ORDER BY number) AS first,
      row_number() OVER (PARTITION BY workspace_id ORDER BY number DESC) AS last
    FROM checkpoints WHERE root_id = $1
  )
  DELETE FROM checkpoints c USING seen WHERE c.id = seen.id AND seen.first > 1 AND seen.last > 1
    AND NOT EXISTS (SELECT FROM workspaces w WHERE w.root_id = $1 AND w.rebuilt_from = c.id)
    AND NOT EXISTS (SELECT FROM restores r WHERE r.root_id = $1 AND c.id IN (r.checkpoint_id, r.origin_id))
    AND NOT EXISTS (SELECT FROM restores r WHERE r.root_id = $1 AND r.ended_at IS NULL)
    AND NOT EXISTS (
      SELECT FROM workspaces w WHERE w.base = c.id AND NOT EXISTS (SELECT FROM checkpoints own WHERE own.workspace_id = w.id))`;
