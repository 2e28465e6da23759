/** Starting an ended task over as a new task, inside a transaction. */
import { ContextItem, TaskWorkspace, type Json, type TaskState } from '@bullpen/contracts';
import { redoRefusal } from '@bullpen/core';
import type { PoolClient } from 'pg';
import { columnOf } from '../database/json-column.js';
import { keepInherited } from '../media/unused-attachments.js';
import { createWhole, type NewId } from './fork.js';
import { unchanged, type Outcome } from './changes.js';
import { withLimits, type ChangedLimits } from './retries.js';
import { prepared } from '../steps/sql.js';
import { z } from 'zod';

const ContextItems = z.array(ContextItem);

export interface RedoRequest {
  /** Id of the new task. */
  readonly taskId: string;
  /** An additional message to the agent. */
  readonly message: string | null;
  readonly limits: ChangedLimits;
  /** Refuse when the task was already started over. @defaultValue false */
  readonly once?: boolean;
  /** @defaultValue null: at once */
  readonly runAt?: Date | null;
  /** Goes on from a checkpoint instead of from the beginning. */
  readonly workspace?: TaskWorkspace | undefined;
}

export type RedoResult =
  | { readonly kind: 'created'; readonly taskId: string }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'refused'; readonly reason: string };

interface Row {
  id: string;
  state: TaskState;
  title: string;
  definition: unknown;
  prompt: string;
  input: Json | null;
  workspace: unknown;
  context_items: unknown;
  priority: number;
  tags: string[];
  metadata: Record<string, string>;
  successor: string | null;
  isImported: boolean;
}

/** Decides on the locked row, and creates the new task; its deadline, if there was one, is not taken along. */
export async function redoLocked(
  client: PoolClient,
  tenantId: string,
  taskId: string,
  request: RedoRequest,
  newId: NewId,
): Promise<Outcome<RedoResult>> {
  await client.query(prepared('lock-family', [taskId]));
  const { rows } = await client.query<Row>(
    `SELECT id, state, title, definition, prompt, input, workspace, context_items, priority, tags, metadata, imported IS NOT NULL AS "isImported",
       (SELECT max(later.id) FROM tasks later WHERE later.retry_of_id = t.id) AS successor
     FROM tasks t WHERE id = $1 AND tenant_id = $2`,
    [taskId, tenantId],
  );
  const row = rows[0];
  if (!row) return unchanged({ kind: 'not_found' });
  const refusal = redoRefusal(row);
  if (refusal) return unchanged({ kind: 'refused', reason: refusal.reason });
  if (request.once && row.successor !== null)
    return unchanged({ kind: 'refused', reason: redoneReason(row.id, row.successor) });
  const { title, prompt, input, priority, tags, metadata } = row;
  const place = { table: 'tasks', id: row.id, column: 'workspace' };
  const { changes } = await createWhole(
    client,
    {
      id: request.taskId,
      tenantId,
      title,
      definition: withLimits(row, request.limits),
      prompt,
      input,
      contextItems: columnOf(ContextItems, row.context_items, { ...place, column: 'context_items' }),
      workspace: request.workspace ?? columnOf(TaskWorkspace, row.workspace, place),
      priority,
      runAt: request.runAt ?? null,
      deadlineAt: null,
      retryOfId: row.id,
      message: request.message,
      tags,
      metadata,
    },
    newId,
  );
  await keepInherited(client, request.taskId);
  return { result: { kind: 'created', taskId: request.taskId }, changes };
}

/** Why a bulk retry skips a task that somebody has started over. */
export function redoneReason(id: string, successor: string): string {
  return `Task ${id} was already started over, as ${successor}.`;
}
