/** Stored states of workspaces as people see them. */
import type { CheckpointPage, CheckpointView, PageQuery } from '@bullpen/contracts';
import type { Pool } from 'pg';
import {
  badCursor,
  decodeCursor,
  encodeCursor,
  filterFingerprint,
  toPage,
  type PageKey,
} from './page-cursor.js';

interface CheckpointRow {
  id: string;
  number: bigint;
  task_id: string;
  root_id: string;
  workspace_id: string;
  parent_id: string | null;
  reason: CheckpointView['reason'];
  note: string | null;
  turn: number;
  message_seq: number;
  event_seq: number;
  commit: string;
  files: number;
  diffstat: CheckpointView['diffstat'];
  left_out: CheckpointView['leftOut'];
  bytes: bigint;
  created_at: Date;
}

/**
 * Checkpoints that a task took, newest first. Those of a workspace of its own are all the task's: what subtasks changed there belongs to its work.
 * Throws `invalid_request` for the cursor of another list.
 */
export async function pageOfCheckpoints(
  pool: Pool,
  taskId: string,
  query: PageQuery,
): Promise<CheckpointPage> {
  const fingerprint = filterFingerprint({ list: 'checkpoints', taskId });
  const before = query.after === undefined ? null : numberOf(decodeCursor(fingerprint, query.after));
  const { rows } = await pool.query<CheckpointRow>(
    `SELECT * FROM checkpoints
     WHERE (task_id = $1 OR workspace_id = $1) AND ($2::bigint IS NULL OR number < $2)
     ORDER BY number DESC LIMIT $3`,
    [taskId, before, query.limit + 1],
  );
  return toPage(rows, query.limit, viewOf, ({ number }) => encodeCursor(fingerprint, [String(number)]));
}

/** The first and the newest state of a task's work, by id and commit; null without any. */
export interface CheckpointRange {
  readonly rootId: string;
  readonly first: { readonly id: string; readonly commit: string };
  readonly newest: { readonly id: string; readonly commit: string };
}

/** What a task changed lies between these. Of a workspace of its own all that happened there counts. */
export async function rangeOfTask(pool: Pool, taskId: string): Promise<CheckpointRange | null> {
  const { rows } = await pool.query<Pick<CheckpointRow, 'id' | 'commit' | 'root_id'>>(
    `WITH mine AS (
       SELECT c.id, c.commit, c.root_id, c.number FROM checkpoints c JOIN tasks t ON t.id = $1
       WHERE c.workspace_id = coalesce(t.workspace_id, t.root_id) AND (c.task_id = t.id OR c.workspace_id = t.id)
     )
     (SELECT * FROM mine ORDER BY number LIMIT 1) UNION ALL (SELECT * FROM mine ORDER BY number DESC LIMIT 1)`,
    [taskId],
  );
  const [first, newest] = rows;
  return first === undefined || newest === undefined ? null : { rootId: first.root_id, first, newest };
}

/** Null when there is none, or when it belongs to another tenant. */
export async function findCheckpoint(
  pool: Pool,
  { id, tenantId }: { id: string; tenantId: string },
): Promise<CheckpointView | null> {
  const { rows } = await pool.query<CheckpointRow>(
    'SELECT * FROM checkpoints WHERE id = $1 AND tenant_id = $2',
    [id, tenantId],
  );
  return rows[0] ? viewOf(rows[0]) : null;
}

/** The newest one of a workspace; null without any. */
export async function newestCheckpoint(pool: Pool, workspaceId: string): Promise<CheckpointView | null> {
  const { rows } = await pool.query<CheckpointRow>(
    'SELECT * FROM checkpoints WHERE workspace_id = $1 ORDER BY number DESC LIMIT 1',
    [workspaceId],
  );
  return rows[0] ? viewOf(rows[0]) : null;
}

/** The id of the newest checkpoint that a task took itself; null when it took none. */
export async function newestCheckpointOf(
  pool: Pool,
  tenantId: string,
  taskId: string,
): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM checkpoints WHERE task_id = $1 AND tenant_id = $2 ORDER BY number DESC LIMIT 1',
    [taskId, tenantId],
  );
  return rows[0]?.id ?? null;
}

function numberOf([number]: PageKey): string {
  if (typeof number !== 'string' || !/^\d{1,18}$/.test(number))
    throw badCursor('is not a cursor of this list');
  return number;
}

function viewOf(row: CheckpointRow): CheckpointView {
  return {
    id: row.id,
    taskId: row.task_id,
    rootId: row.root_id,
    workspaceId: row.workspace_id,
    parentId: row.parent_id,
    reason: row.reason,
    note: row.note,
    turn: row.turn,
    messageSeq: row.message_seq,
    eventSeq: row.event_seq,
    commit: row.commit,
    files: row.files,
    diffstat: row.diffstat,
    leftOut: row.left_out,
    bytes: Number(row.bytes),
    createdAt: row.created_at.toISOString(),
  };
}
