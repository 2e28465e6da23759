/** Rows of restores: what stands in them, the part of a conversation that one drops, and events outside of runs. */
import type {
  DurableEventBody,
  RestoredFiles,
  RestoredHistory,
  RestoreScope,
  RestoreView,
} from '@bullpen/contracts';
import type { NewCheckpoint } from '@bullpen/core';
import type { PoolClient } from 'pg';
import { pgJson } from '../steps/sql.js';
import type { Change } from '../tasks/changes.js';

export interface RestoreRow {
  id: string;
  task_id: string;
  root_id: string;
  tenant_id: string;
  workspace_id: string;
  checkpoint_id: string;
  what: RestoreScope;
  dry_run: boolean;
  before_id: string | null;
  after_id: string | null;
  files: RestoredFiles | null;
  history: RestoredHistory | null;
  failure: string | null;
  created_at: Date;
  ended_at: Date | null;
}

export function viewOfRestore(row: RestoreRow): RestoreView {
  return {
    id: row.id,
    taskId: row.task_id,
    checkpointId: row.checkpoint_id,
    what: row.what,
    dryRun: row.dry_run,
    state: row.ended_at === null ? 'pending' : row.failure === null ? 'done' : 'failed',
    files: row.files,
    history: row.history,
    before: row.before_id,
    after: row.after_id,
    failure: row.failure,
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}

/** A place in the history of the task that took a checkpoint. */
export interface HistoryPlace {
  readonly turn: number;
  readonly messageSeq: number;
}

export interface HistoryCut extends RestoredHistory {
  readonly fromSeq: number;
}

/**
 * What of a conversation came after a checkpoint: the first later answer, and what the user said for it after the checkpoint. The results of
 * the calls of its own turn stay, whenever they were stored. Null when nothing did.
 */
export async function cutAfter(
  client: PoolClient,
  taskId: string,
  { turn, messageSeq }: HistoryPlace,
): Promise<HistoryCut | null> {
  const { rows } = await client.query<{ from_seq: number | null; messages: number }>(
    `WITH present AS (
       SELECT seq, turn, role, content, reduction FROM api_messages WHERE task_id = $1 AND dropped_at IS NULL
     ), answer AS (
       SELECT min(seq) AS seq FROM present WHERE role = 'assistant' AND turn > $2
     ), cut AS (
       SELECT least(answer.seq, (
         SELECT min(seq) FROM present
         WHERE role = 'user' AND reduction IS NULL AND seq > $3 AND seq < answer.seq AND content -> 0 ->> 'type' <> 'tool_result')) AS seq
       FROM answer
     )
     SELECT cut.seq AS from_seq, (SELECT count(*)::int FROM present WHERE seq >= cut.seq) AS messages FROM cut`,
    [taskId, turn, messageSeq],
  );
  const [cut] = rows;
  return cut?.from_seq == null ? null : { fromSeq: cut.from_seq, messages: cut.messages, turn };
}

/** Adds an event to a locked task from outside of its runs. */
export async function tellTask(
  client: PoolClient,
  taskId: string,
  { type, data }: DurableEventBody,
): Promise<readonly Change[]> {
  const { rows } = await client.query<Change>(
    `WITH moved AS (
       UPDATE tasks SET event_seq = event_seq + 1, updated_at = now() WHERE id = $1 RETURNING id, root_id, tenant_id, event_seq
     ), told AS (
       INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
       SELECT id, event_seq, root_id, tenant_id, $2, $3::json FROM moved
     )
     SELECT * FROM moved`,
    [taskId, type, pgJson(data)],
  );
  return rows;
}

/** Records a checkpoint that no run took; its place is the task's newest. */
export async function insertCheckpoint(
  client: PoolClient,
  taskId: string,
  checkpoint: Omit<NewCheckpoint, 'turn'>,
): Promise<void> {
  const { id, workspaceId, parentId, reason, note, commit, files, diffstat, changes, leftOut, bytes } =
    checkpoint;
  await client.query(
    `INSERT INTO checkpoints (id, task_id, root_id, tenant_id, workspace_id, parent_id, reason, note, turn, message_seq, event_seq, commit, files,
       diffstat, changes, left_out, bytes)
     SELECT $2, id, root_id, tenant_id, $3, $4, $5, $6, turns, message_seq, event_seq, $7, $8, $9, $10, $11, $12 FROM tasks WHERE id = $1`,
    [
      ...[taskId, id, workspaceId, parentId, reason, note, commit, files],
      ...[diffstat && pgJson(diffstat), changes && pgJson(changes), pgJson(leftOut), bytes],
    ],
  );
}
