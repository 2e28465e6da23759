/** The history of a task's work modes: read, and added to by people. Runs add theirs with their steps. */
import { AgentDefinition, TransitionRow, type TransitionsView } from '@bullpen/contracts';
import {
  caughtUp,
  EMPTY_CONTEXT,
  fire,
  ModeContext,
  movedNotice,
  transitionEvent,
  waysOut,
  type Standing,
  type Transition,
} from '@bullpen/core';
import type { Pool, PoolClient } from 'pg';
import { columnOf } from '../database/json-column.js';
import { pgJson, prepared } from '../steps/sql.js';
import { unchanged, type Change, type Outcome } from './changes.js';

export interface FireRequest {
  readonly trigger: string;
  readonly reason: string | null;
  /** Who fires it, for people. */
  readonly by: string;
  /** Only while the newest row has this number. */
  readonly ifSeq?: number | undefined;
}

/** `free`: the task works without modes; `changed`: its history has gone on since it was read. */
export type FireResult =
  | { readonly kind: 'moved' | 'refused'; readonly row: Transition }
  | 'free'
  | 'changed'
  | 'already_ended'
  | 'not_found';

type Reader = Pick<Pool | PoolClient, 'query'>;

const COLUMNS = `seq, at, "from", trigger, "to", source, by, reason, refusal, possible,
  CASE WHEN "to" IS NULL THEN 'refused' ELSE 'moved' END AS outcome`;

/** All rows of a task, oldest first. */
export async function transitionsOf(client: Reader, taskId: string): Promise<TransitionRow[]> {
  const { rows } = await client.query<Omit<TransitionRow, 'at'> & { at: Date }>(
    `SELECT ${COLUMNS} FROM mode_transitions WHERE task_id = $1 ORDER BY seq`,
    [taskId],
  );
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

/** A row as `load-task.sql` gives it. */
export function transitionOf(row: Readonly<Record<string, unknown>>): Transition {
  const outcome = row['to'] === null ? 'refused' : 'moved';
  return Stored.parse({ ...row, outcome });
}

const Stored = TransitionRow.omit({ at: true });

/** Where a task may go from its mode, and how it came there; null when the tenant has no such task. */
export async function transitionsView(
  pool: Pool,
  tenantId: string,
  taskId: string,
): Promise<TransitionsView | null> {
  const { rows } = await pool.query<{ free: boolean }>(
    `SELECT mode IS NULL AS free FROM tasks WHERE id = $1 AND tenant_id = $2`,
    [taskId, tenantId],
  );
  if (rows[0] === undefined) return null;
  if (rows[0].free)
    return { taskId, workflow: 'free', mode: null, possible: [], impossible: [], history: [] };
  const { standing, mode, history } = await standingOf(pool, taskId);
  return { taskId, workflow: 'fsm', mode, ...waysOut(standing), history };
}

/** A person fires a trigger. The task's row is locked, so that nothing comes between the look and the move. */
export async function fireLocked(
  client: PoolClient,
  taskId: string,
  { trigger, reason, by, ifSeq }: FireRequest,
  messageId: string,
): Promise<Outcome<FireResult>> {
  const { rows } = await client.query<{ free: boolean }>(
    `SELECT mode IS NULL AS free FROM tasks WHERE id = $1`,
    [taskId],
  );
  if (rows[0]?.free !== false) return unchanged('free');
  const { standing } = await standingOf(client, taskId);
  if (ifSeq !== undefined && ifSeq !== standing.rows.length) return unchanged('changed');
  const row = fire(standing, { trigger, reason, by, source: 'person' });
  const { rows: changes } = await client.query<Change>(
    prepared('fire-trigger', [
      taskId,
      pgJson(row),
      pgJson(transitionEvent(row)),
      messageId,
      movedNotice(row),
    ]),
  );
  return { result: { kind: row.outcome, row }, changes };
}

/** Where a task with modes stands. */
async function standingOf(
  client: Reader,
  taskId: string,
): Promise<{ standing: Standing; mode: string; history: TransitionRow[] }> {
  const { rows } = await client.query<{ mode: string; machine: unknown; context: unknown }>(
    `SELECT mode, definition -> 'machine' AS machine, mode_context AS context FROM tasks WHERE id = $1`,
    [taskId],
  );
  const place = { table: 'tasks', id: taskId };
  const machine = columnOf(Machine, rows[0]?.machine, { ...place, column: 'definition' });
  const context = columnOf(Context, rows[0]?.context ?? null, { ...place, column: 'mode_context' });
  const history = await transitionsOf(client, taskId);
  const standing = { machine, rows: history, context: caughtUp(context ?? EMPTY_CONTEXT, history) };
  return { standing, mode: rows[0]?.mode ?? '', history };
}

const Machine = AgentDefinition.shape.machine.unwrap();
const Context = ModeContext.nullable();
