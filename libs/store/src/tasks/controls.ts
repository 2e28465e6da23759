/** Pausing, resuming, interrupting and changing tasks, inside a transaction. */
import type { TaskState, UpdateTask } from '@bullpen/contracts';
import type { PoolClient } from 'pg';
import { lockSubtree, type Touched } from './cancellation.js';
import type { CommitEffects } from './changes.js';
import { pgJson, prepared } from '../steps/sql.js';

/** A task that was changed; `woken`: it was queued by that, with this wake. */
export interface Moved {
  readonly id: string;
  readonly root_id: string;
  readonly tenant_id: string;
  readonly event_seq: number;
  readonly wake: number;
  readonly woken: boolean;
}

/** Pauses a task and everything below it; `ended` of a row means here that it is paused already, else it runs and is told. */
export async function pauseTree(
  client: PoolClient,
  taskId: string,
  now: boolean,
): Promise<readonly Touched[]> {
  const ids = await lockSubtree(client, taskId);
  return (await client.query<Touched>(prepared('pause-tasks', [ids, now]))).rows;
}

/** Lets a task and everything below it go on. */
export async function resumeTree(client: PoolClient, taskId: string): Promise<readonly Moved[]> {
  const ids = await lockSubtree(client, taskId);
  return (await client.query<Moved>(prepared('resume-tasks', [ids]))).rows;
}

/**
 * Makes one task leave what it is doing, or with `rollback` drop it. Null when it has ended or is paused; a paused task accepts a
 * rollback.
 */
export async function interruptOne(
  client: PoolClient,
  taskId: string,
  reason: 'user' | 'deadline',
  rollback = false,
): Promise<(Moved & { readonly running: boolean }) | null> {
  await client.query(prepared('lock-family', [taskId]));
  const { rows } = await client.query<Moved & { running: boolean }>(
    prepared('interrupt-task', [taskId, reason, rollback]),
  );
  return rows[0] ?? null;
}

/** Changes the fields that are given. */
export async function updateOne(
  client: PoolClient,
  taskId: string,
  changes: UpdateTask,
): Promise<Omit<Moved, 'wake' | 'woken'> | null> {
  const { deadlineAt, ...rest } = changes;
  const values = deadlineAt === undefined ? rest : { ...rest, deadlineAt, setDeadline: true };
  const { rows } = await client.query<Moved>(
    prepared('update-task', [taskId, pgJson(values), pgJson(changes)]),
  );
  return rows[0] ?? null;
}

/** The state of a task of this tenant, its row locked; null when there is none. */
export async function lockedState(
  client: PoolClient,
  tenantId: string,
  taskId: string,
): Promise<TaskState | null> {
  const { rows } = await client.query<{ state: TaskState }>(
    'SELECT state FROM tasks WHERE id = $1 AND tenant_id = $2 FOR NO KEY UPDATE',
    [taskId, tenantId],
  );
  return rows[0]?.state ?? null;
}

/** What has to be announced about moved tasks. */
export function effectsOfMoves(moved: readonly Moved[]): CommitEffects {
  return {
    wakes: moved.flatMap(({ id, wake, woken }) => (woken ? [{ taskId: id, wake }] : [])),
    rows: moved.map((row) => ({
      tenantId: row.tenant_id,
      rootId: row.root_id,
      taskId: row.id,
      seq: row.event_seq,
    })),
    cancels: [],
  };
}
