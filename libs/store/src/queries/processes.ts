/** Processes as people and agents see them. */
import type { PageQuery, ProcessPage, ProcessState, ProcessView } from '@bullpen/contracts';
import type { Pool } from 'pg';
import {
  badCursor,
  decodeCursor,
  encodeCursor,
  filterFingerprint,
  toPage,
  type PageKey,
} from './page-cursor.js';

interface ProcessRow {
  id: string;
  task_id: string;
  root_id: string;
  call_id: string;
  command: string;
  background: boolean;
  state: ProcessState;
  exit_code: number | null;
  signal: string | null;
  cause: string | null;
  limit_ms: number;
  output_bytes: string;
  worker_id: string;
  host: string;
  started_at: Date;
  ended_at: Date | null;
}

export interface FoundProcess {
  readonly process: ProcessView;
  /** Its output lies below this id. */
  readonly rootId: string;
}

/** Processes of a task, the newest first; those before an id, or the newest of all. */
export async function listProcesses(
  pool: Pool,
  { taskId, before, limit }: { taskId: string; before: string | null; limit: number },
): Promise<ProcessView[]> {
  const { rows } = await pool.query<ProcessRow>(
    'SELECT * FROM processes WHERE task_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3',
    [taskId, before, limit],
  );
  return rows.map(viewOf);
}

/** A page of the same. */
export async function pageOfProcesses(pool: Pool, taskId: string, query: PageQuery): Promise<ProcessPage> {
  const fingerprint = filterFingerprint({ list: 'processes', taskId });
  const before = query.after === undefined ? null : idOf(decodeCursor(fingerprint, query.after));
  const rows = await listProcesses(pool, { taskId, before, limit: query.limit + 1 });
  return toPage(
    rows,
    query.limit,
    (process) => process,
    ({ id }) => encodeCursor(fingerprint, [id]),
  );
}

function idOf([id]: PageKey): string {
  if (typeof id !== 'string') throw badCursor('is not a cursor of this list');
  return id;
}

/** A process by id; null when there is none, or when it belongs to another tenant than the one given. */
export async function findProcess(
  pool: Pool,
  { id, tenantId }: { id: string; tenantId?: string },
): Promise<FoundProcess | null> {
  const { rows } = await pool.query<ProcessRow>(
    `SELECT p.*, t.root_id FROM processes p JOIN tasks t ON t.id = p.task_id
     WHERE p.id = $1 AND ($2::text IS NULL OR t.tenant_id = $2)`,
    [id, tenantId ?? null],
  );
  return rows[0] ? { process: viewOf(rows[0]), rootId: rows[0].root_id } : null;
}

/**
 * Notes down what somebody wants of a running process; the first who wants it counts. Its worker finds the note also when it misses
 * the message about it. False: it does not run.
 */
export async function askOfProcess(
  pool: Pool,
  id: string,
  what: 'kill' | 'background',
  by: string,
): Promise<boolean> {
  const column = what === 'kill' ? 'kill_requested_by' : 'background_requested_by';
  const { rowCount } = await pool.query(
    `UPDATE processes SET ${column} = coalesce(${column}, $2) WHERE id = $1 AND state = 'running'`,
    [id, by],
  );
  return rowCount === 1;
}

function viewOf(row: ProcessRow): ProcessView {
  return {
    id: row.id,
    taskId: row.task_id,
    callId: row.call_id,
    command: row.command,
    background: row.background,
    state: row.state,
    exitCode: row.exit_code,
    signal: row.signal,
    cause: row.cause,
    limitMs: row.limit_ms,
    outputBytes: Number(row.output_bytes),
    workerId: row.worker_id,
    host: row.host,
    startedAt: row.started_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}
