/** Pausing, resuming, interrupting and changing tasks, inside a transaction. */
import type { AgentDefinition, TaskState, UpdateTask, WaitReason } from '@bullpen/contracts';
import type { PoolClient } from 'pg';
import { pgJson, prepared } from '../steps/sql.js';
import { lockSubtree } from './cancellation.js';
import type { Change } from './changes.js';

/** Pauses a task and everything below it: what runs at its next border, or with `now` at once. */
export async function pauseTree(
  client: PoolClient,
  taskId: string,
  now: boolean,
): Promise<readonly Change[]> {
  const ids = await lockSubtree(client, taskId);
  return (await client.query<Change>(prepared('pause-tasks', [ids, now]))).rows;
}

/** Lets a task and everything below it go on. */
export async function resumeTree(client: PoolClient, taskId: string): Promise<readonly Change[]> {
  const ids = await lockSubtree(client, taskId);
  return (await client.query<Change>(prepared('resume-tasks', [ids]))).rows;
}

/**
 * Makes one task leave what it is doing, or with `rollback` drop it. Changes nothing when it has ended or is paused; a paused task
 * accepts a rollback.
 */
export async function interruptOne(
  client: PoolClient,
  taskId: string,
  reason: 'user' | 'deadline',
  rollback = false,
): Promise<readonly Change[]> {
  await client.query(prepared('lock-family', [taskId]));
  return (await client.query<Change>(prepared('interrupt-task', [taskId, reason, rollback]))).rows;
}

/** Changes the fields that are given; with another profile comes the definition that has it. */
export async function updateOne(
  client: PoolClient,
  taskId: string,
  changes: UpdateTask,
  definition: AgentDefinition | null,
): Promise<readonly Change[]> {
  const { deadlineAt, ...rest } = changes;
  const values = {
    ...rest,
    ...(deadlineAt === undefined ? {} : { deadlineAt, setDeadline: true }),
    ...(definition && { definition, profiles: definition.profiles }),
  };
  return (await client.query<Change>(prepared('update-task', [taskId, pgJson(values), pgJson(changes)])))
    .rows;
}

/** A task whose row and whose parent's row are locked. */
export interface LockedTask {
  readonly tenantId: string;
  readonly taskId: string;
  readonly state: TaskState;
  readonly waitReason: WaitReason | null;
  readonly isImported: boolean;
}

/** Locks a task of this tenant, and its parent before it; null when there is none. */
export async function lockTask(
  client: PoolClient,
  tenantId: string,
  taskId: string,
): Promise<LockedTask | null> {
  await client.query(prepared('lock-family', [taskId]));
  const { rows } = await client.query<LockedTask>(
    `SELECT tenant_id AS "tenantId", id AS "taskId", state, wait_reason AS "waitReason", imported IS NOT NULL AS "isImported"
     FROM tasks WHERE id = $1 AND tenant_id = $2 FOR NO KEY UPDATE`,
    [taskId, tenantId],
  );
  return rows[0] ?? null;
}
