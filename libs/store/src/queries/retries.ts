/** Which tasks a bulk retry would cover. Only a preview: whether a task is retried is decided on its locked row. */
import {
  errorText,
  usdOf,
  TaskWorkspace,
  type Limits,
  type RetryFilter,
  type RetryMode,
  type StopCause,
  type TaskState,
} from '@bullpen/contracts';
import { redoRefusal, retryRefusal } from '@bullpen/core';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { columnOf } from '../database/json-column.js';
import { redoneReason } from '../tasks/redo.js';
import { withLimits, type ChangedLimits } from '../tasks/retries.js';

export interface RetryCandidate {
  readonly id: string;
  readonly cause: string;
  /** Why it cannot be tried again; null when it can. */
  readonly refusal: string | null;
  readonly spentNanoUsd: bigint;
  readonly workspace: TaskWorkspace;
}

export interface RetryQuery {
  readonly filter: RetryFilter;
  readonly mode: RetryMode;
  readonly limits: ChangedLimits;
  readonly max: number;
}

interface Row {
  id: string;
  state: TaskState;
  cause: StopCause | null;
  turns: number;
  activeMs: bigint;
  tokens: bigint;
  definition: unknown;
  workspace: unknown;
  spent: bigint;
  successor: string | null;
}

/** Roots that fit, those that were created first; `matched` counts all that fit. */
export async function findRetryCandidates(
  prisma: PrismaClient,
  tenantId: string,
  query: RetryQuery,
): Promise<{ matched: number; candidates: RetryCandidate[] }> {
  const where = whereOf(tenantId, query.filter);
  const [counted, rows] = await Promise.all([
    prisma.$queryRaw<{ n: bigint }[]>(Prisma.sql`select count(*)::bigint as n from tasks t where ${where}`),
    prisma.$queryRaw<Row[]>(Prisma.sql`
      select t.id, t.state::text as state, t.stop_cause as cause, t.turns, t.active_ms as "activeMs", t.definition, t.workspace,
        t.input_tokens + t.output_tokens + t.cache_read_tokens + t.cache_write_5m_tokens + t.cache_write_1h_tokens as tokens,
        coalesce(b.spent_nano_usd, 0)::bigint as spent,
        (select max(later.id) from tasks later where later.retry_of_id = t.id) as successor
      from tasks t left join budget_accounts b on b.root_id = t.root_id
      where ${where} order by t.created_at, t.id limit ${query.max}`),
  ]);
  const candidates = rows.map((row) => ({
    id: row.id,
    cause: row.cause ?? row.state,
    spentNanoUsd: row.spent,
    ...judged(row, query),
  }));
  return { matched: Number(counted[0]?.n ?? 0n), candidates };
}

/** What trees have cost together, as the API shows it. */
export function costOf(candidates: readonly RetryCandidate[]): string {
  return usdOf(candidates.reduce((sum, { spentNanoUsd }) => sum + spentNanoUsd, 0n));
}

/** One that cannot be read is refused, and does not hinder the others. */
function judged(row: Row, { mode, limits }: RetryQuery): Pick<RetryCandidate, 'refusal' | 'workspace'> {
  try {
    const place = { table: 'tasks', id: row.id, column: 'workspace' };
    const workspace = columnOf(TaskWorkspace, row.workspace, place);
    return { refusal: refusalOf(row, mode, limits), workspace };
  } catch (error) {
    return { refusal: errorText(error), workspace: { kind: 'empty' } };
  }
}

function refusalOf(row: Row, mode: RetryMode, changed: ChangedLimits): string | null {
  if (row.successor !== null) return redoneReason(row.id, row.successor);
  if (mode === 'new') return redoRefusal(row)?.reason ?? null;
  const limits: Limits = withLimits(row, changed).limits;
  const task = {
    id: row.id,
    parentId: null,
    state: row.state,
    stopCause: row.cause,
    turns: row.turns,
    activeMs: Number(row.activeMs),
    tokens: Number(row.tokens),
    spentNanoUsd: row.spent,
  };
  return retryRefusal(task, limits)?.reason ?? null;
}

function whereOf(tenantId: string, filter: RetryFilter): Prisma.Sql {
  const { state, cause, errorClass, agent, tag, createdAfter, createdBefore, ids } = filter;
  const parts = [
    Prisma.sql`t.tenant_id = ${tenantId}`,
    Prisma.sql`t.parent_id is null`,
    Prisma.sql`t.state = ${state}::task_state`,
    ...(cause === undefined ? [] : [Prisma.sql`t.stop_cause = ${cause}`]),
    ...(errorClass === undefined ? [] : [Prisma.sql`t.failure ->> 'errorClass' = ${errorClass}`]),
    ...(agent === undefined ? [] : [Prisma.sql`t.agent = ${agent}`]),
    ...(tag === undefined ? [] : [Prisma.sql`${tag} = any(t.tags)`]),
    ...(createdAfter === undefined ? [] : [Prisma.sql`t.created_at >= ${new Date(createdAfter)}`]),
    ...(createdBefore === undefined ? [] : [Prisma.sql`t.created_at < ${new Date(createdBefore)}`]),
    ...(ids === undefined ? [] : [Prisma.sql`t.id = any(${ids})`]),
  ];
  return Prisma.join(parts, ' and ');
}
