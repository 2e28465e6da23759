/**
 * Which machine has a workspace. The row decides, whatever lies on disks: a copy whose epoch is not the row's is out of date. Nobody takes a
 * workspace away from a machine where a run works in it.
 */
import type { Lease, MadeFrom, SetupEnd } from '@bullpen/core';
import type { Pool } from 'pg';
import { pgJson, prepared } from '../steps/sql.js';

export interface SeenWorkspace {
  /** The installation folder that has it; null: it has to be made anew. */
  readonly home: string | null;
  readonly epoch: number;
  readonly opens: number;
  readonly rebuiltFrom: string | null;
  /** Something was changed that no checkpoint holds. */
  readonly unsaved: boolean;
  /** How the setup command ended in this copy, or in what the first one is made from; null: there is none, or it has yet to run. */
  readonly setup: Pick<SetupEnd, 'state' | 'text'> | null;
  readonly newest: (StoredCommit & { readonly rootId: string }) | null;
  /** A restore of its files has yet to be carried out. */
  readonly restoring: boolean;
  /** Other runs work in it, where it is. */
  readonly busy: boolean;
}

/** A stored state, and what names its objects. */
export interface StoredCommit {
  readonly id: string;
  readonly commit: string;
}

export interface TakeRequest {
  readonly workspaceId: string;
  readonly home: string;
  /** Null: there was no row. */
  readonly seen: Pick<SeenWorkspace, 'epoch' | 'opens'> | null;
  readonly rebuiltFrom: string | null;
  /** How its setup has ended already. */
  readonly setup?: SeenWorkspace['setup'];
}

interface SeenRow extends Omit<SeenWorkspace, 'rebuiltFrom'> {
  readonly rebuilt_from: string | null;
}

export class WorkspaceRows {
  constructor(private readonly pool: Pool) {}

  /** Null: nobody has opened it yet. `taskId` is the task that wants it. */
  async look(workspaceId: string, taskId: string): Promise<SeenWorkspace | null> {
    const { rows } = await this.pool.query<SeenRow>(prepared('look-at-workspace', [workspaceId, taskId]));
    if (rows[0] === undefined) return null;
    const { rebuilt_from: rebuiltFrom, ...seen } = rows[0];
    return { ...seen, rebuiltFrom };
  }

  /** Opens it where it is; false when it has moved since. */
  async reopen(taskId: string, workspaceId: string, home: string, epoch: number): Promise<boolean> {
    const values = [taskId, workspaceId, home, epoch];
    return (await this.pool.query(prepared('reopen-workspace', values))).rowCount === 1;
  }

  /** Makes it be here; gives its new epoch, or null when the look is out of date or the lease lost. */
  async take(
    lease: Lease,
    { workspaceId, home, seen, rebuiltFrom, setup = null }: TakeRequest,
  ): Promise<number | null> {
    const before = seen?.epoch ?? 0;
    const { rows } = await this.pool.query<{ epoch: number }>(
      prepared('take-workspace', [
        ...[lease.taskId, lease.epoch, workspaceId, home],
        ...[before, seen?.opens ?? 0, rebuiltFrom],
        setup && pgJson({ ...setup, epoch: before + 1 }),
      ]),
    );
    return rows[0]?.epoch ?? null;
  }

  /** Says whether something was changed that no checkpoint holds. */
  async setUnsaved(workspaceId: string, unsaved: boolean): Promise<void> {
    await this.pool.query(`UPDATE workspaces SET unsaved = $2 WHERE id = $1 AND unsaved <> $2`, [
      workspaceId,
      unsaved,
    ]);
  }

  /** The newest stored state of a workspace, or the one in its tree that it begins from: what the next checkpoint builds on. */
  async newest(workspaceId: string): Promise<StoredCommit | null> {
    const { rows } = await this.pool.query<StoredCommit>(
      `SELECT id, commit FROM checkpoints WHERE workspace_id = $1 ORDER BY number DESC LIMIT 1`,
      [workspaceId],
    );
    return rows[0] ?? this.baseOf(workspaceId);
  }

  /** The state that a subtask's own workspace begins from; null for all others. */
  async baseOf(workspaceId: string): Promise<StoredCommit | null> {
    const { rows } = await this.pool.query<StoredCommit>(
      `SELECT c.id, c.commit FROM workspaces w JOIN checkpoints c ON c.id = w.base AND c.root_id = w.root_id WHERE w.id = $1`,
      [workspaceId],
    );
    return rows[0] ?? null;
  }

  /**
   * Lets a task change a workspace that it shares while it runs; false while another one that was let does. Those that wait for a person or for
   * subtasks do not run, so nobody waits for somebody who waits.
   */
  async letWrite(taskId: string, workspaceId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(LET_WRITE, [taskId, workspaceId]);
    return rowCount === 1;
  }

  /** The same, of whoever would run the setup command of this copy; false also when somebody has. */
  async letSetUp(taskId: string, workspaceId: string, epoch: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `${LET_WRITE} AND w.epoch = $3 AND (w.setup ->> 'epoch')::int IS DISTINCT FROM $3`,
      [taskId, workspaceId, epoch],
    );
    return rowCount === 1;
  }

  /** What the agent is told of a state that its files were made from; of one that a restore brought back, turn, task and time are what they were then. */
  async stateOf(checkpointId: string): Promise<MadeFrom | null> {
    const { rows } = await this.pool.query<MadeFrom>(
      `SELECT c.id AS "checkpointId", o.turn, o.task_id AS "taskId", o.created_at AS at, r.id IS NOT NULL AS restored
       FROM checkpoints c LEFT JOIN restores r ON r.workspace_id = c.workspace_id AND r.after_id = c.id AND c.reason = 'restore'
       JOIN checkpoints o ON o.id = coalesce(r.origin_id, c.id) WHERE c.id = $1`,
      [checkpointId],
    );
    return rows[0] ?? null;
  }
}

const LET_WRITE = `
  UPDATE workspaces w SET writer = $1
  WHERE w.id = $2 AND EXISTS (SELECT FROM tasks t WHERE t.id = $1 AND t.state = 'running')
    AND (w.writer IS NULL OR w.writer = $1 OR NOT EXISTS (SELECT FROM tasks t WHERE t.id = w.writer AND t.state = 'running'))`;
