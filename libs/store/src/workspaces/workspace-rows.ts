/**
 * Which machine has a workspace. The row decides, whatever lies on disks: a copy whose epoch is not the row's is out of date. Nobody takes a
 * workspace away from a machine where a run works in it.
 */
import type { Lease } from '@bullpen/core';
import type { Pool } from 'pg';
import { prepared } from '../steps/sql.js';

export interface SeenWorkspace {
  /** The installation folder that has it; null: it has to be made anew. */
  readonly home: string | null;
  readonly epoch: number;
  readonly opens: number;
  readonly rebuiltFrom: string | null;
  /** Something was changed that no checkpoint holds. */
  readonly unsaved: boolean;
  readonly newest: StoredCommit | null;
  /** Other runs work in it, where it is. */
  readonly busy: boolean;
}

/** A stored state, and what names its objects. */
export interface StoredCommit {
  readonly id: string;
  readonly commit: string;
}

/** A stored state to go on from, as the agent is told of it. */
export interface StoredState {
  readonly id: string;
  readonly turn: number;
  readonly taskId: string;
  readonly at: Date;
}

export interface TakeRequest {
  readonly workspaceId: string;
  readonly home: string;
  /** Null: there was no row. */
  readonly seen: Pick<SeenWorkspace, 'epoch' | 'opens'> | null;
  readonly rebuiltFrom: string | null;
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
  async take(lease: Lease, { workspaceId, home, seen, rebuiltFrom }: TakeRequest): Promise<number | null> {
    const { rows } = await this.pool.query<{ epoch: number }>(
      prepared('take-workspace', [
        ...[lease.taskId, lease.epoch, workspaceId, home],
        ...[seen?.epoch ?? 0, seen?.opens ?? 0, rebuiltFrom],
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

  /** The newest stored state of a workspace, or the one that it begins from: what the next checkpoint builds on. */
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
      `SELECT c.id, c.commit FROM workspaces w JOIN checkpoints c ON c.id = w.base WHERE w.id = $1`,
      [workspaceId],
    );
    return rows[0] ?? null;
  }

  /**
   * Lets a task change a workspace that it shares while it runs; false while another one that was let does. Those that wait for a person or for
   * subtasks do not run, so nobody waits for somebody who waits.
   */
  async letWrite(taskId: string, workspaceId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE workspaces w SET writer = $1
       WHERE w.id = $2 AND EXISTS (SELECT FROM tasks t WHERE t.id = $1 AND t.state = 'running') AND (w.writer IS NULL OR w.writer = $1 OR NOT EXISTS (SELECT FROM tasks t WHERE t.id = w.writer AND t.state = 'running'))`,
      [taskId, workspaceId],
    );
    return rowCount === 1;
  }

  /** What the agent is told of a state that its files were made from. */
  async stateOf(checkpointId: string): Promise<StoredState | null> {
    const { rows } = await this.pool.query<{ id: string; turn: number; task_id: string; created_at: Date }>(
      `SELECT id, turn, task_id, created_at FROM checkpoints WHERE id = $1`,
      [checkpointId],
    );
    const [row] = rows;
    return row === undefined ? null : { id: row.id, turn: row.turn, taskId: row.task_id, at: row.created_at };
  }
}
