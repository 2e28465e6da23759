/** Another attempt at an ended task, inside a transaction. */
import type { AgentDefinition, Limits, StopCause, TaskState } from '@bullpen/contracts';
import {
  goOnRefusal,
  retryMessage,
  retryRefusal,
  type RetryableTask,
  type RetryRefusal,
} from '@bullpen/core';
import type { PoolClient } from 'pg';
import { prepared } from '../steps/sql.js';
import { unchanged, type Change, type Outcome } from './changes.js';
import { definitionOf } from './situation.js';
import { limitOf } from './task-rows.js';

export interface RetryRequest {
  /** Id of the message that tells the agent. */
  readonly messageId: string;
  readonly message: string | null;
  /** Limits that should differ from those of the last attempt. */
  readonly limits: ChangedLimits;
  /** Only while this is still the task's newest wake: what somebody saw fail, and nothing later. */
  readonly wake?: number;
  /** Time until the attempt may begin, in ms. @defaultValue 0 */
  readonly delayMs?: number;
}

export type ChangedLimits = { readonly [K in keyof Limits]?: Limits[K] | undefined };

/** What a user says to a task that has ended. */
export interface GoOnRequest {
  readonly id: string;
  readonly text: string;
  readonly limits: ChangedLimits;
}

export type RetryResult =
  | { readonly kind: 'queued' }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'refused'; readonly reason: string; readonly pointer: string | null };

interface Row {
  id: string;
  wake: number;
  parent_id: string | null;
  state: TaskState;
  stop_cause: StopCause | null;
  turns: number;
  active_ms: bigint;
  tokens: bigint;
  spent: bigint;
  definition: unknown;
  is_imported: boolean;
}

/** Decides on the locked row, and queues the task when it may go on. */
export async function retryLocked(
  client: PoolClient,
  tenantId: string,
  taskId: string,
  request: RetryRequest,
): Promise<Outcome<RetryResult>> {
  const row = await lockEnded(client, tenantId, taskId);
  if (!row) return unchanged({ kind: 'not_found' });
  const definition = withLimits(row, request.limits);
  const refusal = retryRefusal(retryableOf(row), definition.limits) ?? outdated(row, request);
  if (refusal) return unchanged({ kind: 'refused', ...refusal });
  const message = { id: request.messageId, text: retryMessage(request.message) };
  return queueAgain(client, row, definition, message, { delayMs: request.delayMs ?? 0, asUser: false });
}

/** Lets an ended task go on with what its user says. The caller has seen that it has ended, under the lock. */
export async function goOnLocked(
  client: PoolClient,
  tenantId: string,
  taskId: string,
  request: GoOnRequest,
): Promise<Outcome<RetryResult>> {
  const row = await lockEnded(client, tenantId, taskId);
  if (!row) return unchanged({ kind: 'not_found' });
  const definition = withLimits(row, request.limits);
  const refusal = goOnRefusal(retryableOf(row), definition.limits);
  if (refusal) return unchanged({ kind: 'refused', ...refusal });
  return queueAgain(client, row, definition, request, { delayMs: 0, asUser: true });
}

async function lockEnded(client: PoolClient, tenantId: string, taskId: string): Promise<Row | undefined> {
  await client.query(prepared('lock-family', [taskId]));
  const { rows } = await client.query<Row>(
    `SELECT t.id, t.wake, t.parent_id, t.state, t.stop_cause, t.turns, t.active_ms, t.definition, t.imported IS NOT NULL AS is_imported,
       coalesce(b.spent_nano_usd, 0) AS spent,
       t.input_tokens + t.output_tokens + t.cache_read_tokens + t.cache_write_5m_tokens + t.cache_write_1h_tokens AS tokens
     FROM tasks t LEFT JOIN budget_accounts b ON b.root_id = t.root_id WHERE t.id = $1 AND t.tenant_id = $2`,
    [taskId, tenantId],
  );
  return rows[0];
}

async function queueAgain(
  client: PoolClient,
  { id: taskId }: Row,
  definition: AgentDefinition,
  { id, text }: { readonly id: string; readonly text: string },
  { delayMs, asUser }: { readonly delayMs: number; readonly asUser: boolean },
): Promise<Outcome<RetryResult>> {
  const values = [
    taskId,
    JSON.stringify(definition),
    limitOf(definition),
    id,
    text,
    Math.round(delayMs),
    asUser,
  ];
  const { rows: changes } = await client.query<Change>(prepared('retry-task', values));
  return { result: { kind: 'queued' }, changes };
}

/** The definition of a stored task with some limits changed. */
export function withLimits(
  row: { readonly id: string; readonly definition: unknown },
  limits: ChangedLimits,
): AgentDefinition {
  const definition = definitionOf(row.id, row.definition);
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  return { ...definition, limits: { ...definition.limits, ...given } };
}

function outdated(row: Row, { wake }: RetryRequest): RetryRefusal | null {
  if (wake === undefined || wake === row.wake) return null;
  return { reason: `Task ${row.id} has been retried since then, and has failed again.`, pointer: null };
}

function retryableOf(row: Row): RetryableTask {
  return {
    id: row.id,
    parentId: row.parent_id,
    state: row.state,
    stopCause: row.stop_cause,
    turns: row.turns,
    activeMs: Number(row.active_ms),
    tokens: Number(row.tokens),
    spentNanoUsd: BigInt(row.spent),
    isImported: row.is_imported,
  };
}
