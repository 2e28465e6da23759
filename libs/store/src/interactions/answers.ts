/** Answering interactions: the first answer counts, and what it changes changes with it. */
import {
  nanoUsdOf,
  PAYLOAD_OF,
  type InteractionAnswer,
  type InteractionKind,
  type InteractionPayload,
  type PolicyScope,
} from '@bullpen/contracts';
import { checkAnswer, planTodos, type CheckedAnswer } from '@bullpen/core';
import type { Pool, PoolClient } from 'pg';
import { tell, unchanged, type Change, type OnCommitted, type Outcome } from '../tasks/changes.js';
import { rememberWithin } from './policy-layers.js';
import { pgJson, prepared } from '../steps/sql.js';
import { eachAlone } from '../database/each-alone.js';
import { columnOf } from '../database/json-column.js';
import { inTransaction } from '../database/transaction.js';

export interface AnswerRequest {
  /** As it came in; checked against the kind and the payload. */
  readonly answer: unknown;
  /** Who answers, for people: the name of a key, `expiry`. */
  readonly by: string;
  /** What the answerer saw; when given and different from what is asked, the answer does not count. */
  readonly hash?: string;
}

export type AnswerResult =
  | { readonly kind: 'answered'; readonly taskId: string; readonly answer: InteractionAnswer }
  | { readonly kind: 'not_found' }
  /** Answered by somebody else, expired or withdrawn; the row says which. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'changed' }
  | { readonly kind: 'invalid'; readonly errors: Extract<CheckedAnswer, { ok: false }>['errors'] };

interface InteractionRow {
  id: string;
  task_id: string;
  kind: InteractionKind;
  payload: unknown;
  arguments_hash: string | null;
  tenant_id: string;
  root_id: string;
  /** The folder that its task works on. */
  project: string | null;
  closed: boolean;
}

/** Runs inside a transaction. The task's row is locked first, as everywhere that a task is woken. */
export async function answerLocked(
  client: PoolClient,
  tenantId: string | null,
  interactionId: string,
  { answer: given, by, hash }: AnswerRequest,
): Promise<Outcome<AnswerResult>> {
  const row = await lockedInteraction(client, tenantId, interactionId);
  if (!row) return unchanged({ kind: 'not_found' });
  if (row.closed) return unchanged({ kind: 'closed' });
  if (hash !== undefined && hash !== row.arguments_hash) return unchanged({ kind: 'changed' });
  const payload = columnOf<InteractionPayload>(PAYLOAD_OF[row.kind], row.payload, {
    table: 'interactions',
    id: row.id,
    column: 'payload',
  });
  const checked = checkAnswer(row.kind, payload, given);
  if (!checked.ok) return unchanged({ kind: 'invalid', errors: checked.errors });
  const { answer } = checked;
  if ('remember' in answer && answer.remember === 'project' && row.project === null) {
    const detail = 'the task does not work on a project folder: remember it for the task or the installation';
    return unchanged({ kind: 'invalid', errors: [{ pointer: '/remember', detail }] });
  }
  const { rows } = await client.query<Change>(
    prepared('answer-interaction', [row.id, pgJson(answer), by, ...consequences(payload, answer)]),
  );
  const change = rows[0];
  if (!change) return unchanged({ kind: 'closed' }); // Its task has ended.
  if ('remember' in answer && answer.remember !== undefined)
    await remember(client, row, payload, answer.remember, by);
  const others = 'limitUsd' in answer ? await wakeBudgetWaits(client, row.root_id) : [];
  return { result: { kind: 'answered', taskId: row.task_id, answer }, changes: [change, ...others] };
}

/** This many are looked at in one statement. */
const BATCH = 500;

/**
 * Lets tasks of a tree that ask for more money look again, and withdraws their requests. The reconciler finds those that are locked
 * by somebody else.
 */
export async function wakeBudgetWaits(
  client: Pick<PoolClient, 'query'>,
  rootId: string,
): Promise<readonly Change[]> {
  return (await client.query<Change>(prepared('wake-budget-waits', [rootId, BATCH]))).rows;
}

/** Adds the rule that would have let the call pass to the chosen layer. */
async function remember(
  client: PoolClient,
  row: InteractionRow,
  payload: InteractionPayload,
  scope: PolicyScope,
  by: string,
): Promise<void> {
  const patch = 'remember' in payload ? payload.remember?.patch : undefined;
  const key = { installation: '', project: row.project, task: row.root_id }[scope];
  if (patch && key !== null) await rememberWithin(client, { tenantId: row.tenant_id, scope, key }, patch, by);
}

/** Raised limit, autonomy and to-do list that come with an answer. */
function consequences(payload: InteractionPayload, answer: InteractionAnswer): (string | null)[] {
  if ('limitUsd' in answer) return [nanoUsdOf(answer.limitUsd).toString(), null, null];
  if ('steps' in payload && 'autonomy' in answer)
    return [null, answer.autonomy, pgJson(planTodos(answer, payload))];
  return [null, null, null];
}

async function lockedInteraction(
  client: PoolClient,
  tenantId: string | null,
  id: string,
): Promise<InteractionRow | undefined> {
  const found = await client.query<{ task_id: string }>(
    'SELECT task_id FROM interactions WHERE id = $1 AND ($2::text IS NULL OR tenant_id = $2)',
    [id, tenantId],
  );
  const taskId = found.rows[0]?.task_id;
  if (taskId === undefined) return undefined;
  await client.query(prepared('lock-family', [taskId]));
  const { rows } = await client.query<InteractionRow>(
    `SELECT i.id, i.task_id, i.kind, i.payload, i.arguments_hash, i.tenant_id, i.root_id, t.workspace ->> 'path' AS project,
       i.answered_at IS NOT NULL OR i.withdrawn_at IS NOT NULL AS closed
     FROM interactions i JOIN tasks t ON t.id = i.task_id WHERE i.id = $1`,
    [id],
  );
  return rows[0];
}

/** Interactions that have expired get the answer that was declared for that, each in its own transaction. */
export async function expireInteractions(
  { pool, onCommitted }: { readonly pool: Pool; readonly onCommitted: OnCommitted },
  limit: number,
): Promise<void> {
  const { rows } = await pool.query<{ id: string; expiry_answer: unknown }>(
    `SELECT id, expiry_answer FROM interactions
     WHERE answered_at IS NULL AND withdrawn_at IS NULL AND expires_at <= now() AND expiry_answer IS NOT NULL
     ORDER BY expires_at LIMIT $1`,
    [limit],
  );
  await eachAlone(rows, async ({ id, expiry_answer: answer }) => {
    const work = (client: PoolClient) => answerLocked(client, null, id, { answer, by: 'expiry' });
    tell(onCommitted, (await inTransaction(pool, work)).changes);
  });
}
