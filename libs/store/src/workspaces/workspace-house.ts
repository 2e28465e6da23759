/** What the rows say of folders that lie on a machine: which are out of date, and which are of trees that ended. */
import type { Pool } from 'pg';

export interface HousedWorkspace {
  readonly id: string;
  readonly rootId: string;
  /** The installation folder that has it. */
  readonly home: string | null;
  readonly epoch: number;
  readonly opens: number;
  readonly inPlace: boolean;
  /** All of its tree ended long enough ago. */
  readonly isOver: boolean;
  /** The last stored state; null: there is none, or something was changed that it does not hold. */
  readonly stored: string | null;
}

export interface MeasurableWorkspace {
  readonly id: string;
  readonly home: string;
  readonly epoch: number;
  /** A run works in it. */
  readonly isBusy: boolean;
  /** It was measured a short while ago. */
  readonly isFresh: boolean;
}

export class WorkspaceHouse {
  constructor(private readonly pool: Pool) {}

  /** Null: no row tells of it. `keepHours` null: no tree is ever over. */
  async look(workspaceId: string, keepHours: number | null): Promise<HousedWorkspace | null> {
    const { rows } = await this.pool.query<HousedWorkspace>(
      `SELECT w.id, w.root_id AS "rootId", w.home, w.epoch, w.opens,
              ${IN_PLACE} AS "inPlace",
              $2::int IS NOT NULL AND NOT EXISTS (${UNFINISHED} OR t.ended_at > now() - $2::int * interval '1 hour')) AS "isOver",
              CASE WHEN NOT w.unsaved THEN coalesce((${NEWEST}), (SELECT c.commit FROM checkpoints c WHERE c.id = w.base AND c.root_id = w.root_id)) END AS stored
       FROM workspaces w JOIN tasks r ON r.id = w.root_id WHERE w.id = $1`,
      [workspaceId, keepHours],
    );
    return rows[0] ?? null;
  }

  /** From now on it has to be made anew from what is stored; false when it was opened or changed since the look. */
  async release({ id, home, epoch, opens }: HousedWorkspace): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE workspaces w SET home = NULL WHERE id = $1 AND home = $2 AND epoch = $3 AND opens = $4 AND NOT unsaved
         AND NOT EXISTS (${UNFINISHED}))`,
      [id, home, epoch, opens],
    );
    return rowCount === 1;
  }

  /** Those of subtasks' own at this place that nobody works in any more. */
  async idle(home: string): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ id: string }>(
      `SELECT w.id FROM workspaces w WHERE w.home = $1 AND ${IDLE}`,
      [home],
    );
    return rows.map(({ id }) => id);
  }

  /** As `release`, of a workspace of a subtask's own, whose tree may go on. */
  async leave({ id, home, epoch, opens }: HousedWorkspace): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE workspaces w SET home = NULL WHERE id = $1 AND home = $2 AND epoch = $3 AND opens = $4 AND ${IDLE}`,
      [id, home, epoch, opens],
    );
    return rowCount === 1;
  }

  /** Those at this place whose size nobody has looked at. */
  async unmeasured(home: string): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ id: string }>(
      'SELECT id FROM workspaces WHERE home = $1 AND measured_at IS NULL',
      [home],
    );
    return rows.map(({ id }) => id);
  }

  /** A folder of ours at this place, to be measured; null when it is none, or no longer here. */
  async measurable(workspaceId: string, home: string): Promise<MeasurableWorkspace | null> {
    const { rows } = await this.pool.query<MeasurableWorkspace>(
      `SELECT w.id, w.home, w.epoch, ${BUSY} AS "isBusy", coalesce(w.measured_at > now() - interval '10 minutes', false) AS "isFresh"
       FROM workspaces w JOIN tasks r ON r.id = w.root_id WHERE w.id = $1 AND w.home = $2 AND NOT ${IN_PLACE}`,
      [workspaceId, home],
    );
    return rows[0] ?? null;
  }

  /** Nothing happens when it has moved since. */
  async measured({ id, home, epoch }: MeasurableWorkspace, bytes: number): Promise<void> {
    await this.pool.query(
      `UPDATE workspaces SET disk_bytes = $4, measured_at = now() WHERE id = $1 AND home = $2 AND epoch = $3`,
      [id, home, epoch, bytes],
    );
  }

  /** All of a tree. */
  async workspacesOf(rootId: string): Promise<readonly string[]> {
    const { rows } = await this.pool.query<{ id: string }>('SELECT id FROM workspaces WHERE root_id = $1', [
      rootId,
    ]);
    return rows.map(({ id }) => id);
  }
}

/** Of a workspace `w` whose root is `r`: the folder of the user itself. */
export const IN_PLACE = `(r.workspace ->> 'kind' = 'path' AND r.workspace ->> 'copy' = 'false' AND w.base IS NULL)`;
/** Of a workspace `w`: a run works in it. */
export const BUSY = `EXISTS (SELECT FROM tasks t WHERE t.root_id = w.root_id AND coalesce(t.workspace_id, t.root_id) = w.id AND t.state = 'running')`;
const UNFINISHED = `SELECT FROM tasks t WHERE t.root_id = w.root_id AND (t.state NOT IN ('completed', 'failed', 'cancelled')`;
const NEWEST = `SELECT c.commit FROM checkpoints c WHERE c.workspace_id = w.id ORDER BY c.number DESC LIMIT 1`;
const IDLE = `w.base IS NOT NULL AND w.id <> w.root_id AND NOT w.unsaved
  AND NOT EXISTS (SELECT FROM tasks t WHERE t.root_id = w.root_id AND t.workspace_id = w.id AND t.state NOT IN ('completed', 'failed', 'cancelled'))`;
