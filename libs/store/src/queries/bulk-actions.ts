/** Bulk actions as people see them, and what one would do. */
import {
  BulkVerb,
  errorText,
  isTerminal,
  TaskFilter,
  usdOf,
  type BulkActionPage,
  type BulkActionView,
  type BulkItemPage,
  type BulkItemState,
  type BulkPreview,
  type ListBulkItems,
  type PageQuery,
  type StopCause,
  type TaskState,
} from '@bullpen/contracts';
import { redoRefusal, retryRefusal } from '@bullpen/core';
import { columnOf } from '../database/json-column.js';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { redoneReason } from '../tasks/redo.js';
import { withLimits } from '../tasks/retries.js';
import {
  badCursor,
  beyondKey,
  decodeCursor,
  encodeCursor,
  filterFingerprint,
  toPage,
} from './page-cursor.js';
import { taskConditions, type TaskConditions } from './task-filter.js';

/** So many tasks are looked at for a preview; whether a thing is done is decided on each locked row in any case. */
const LOOKED_AT = 2_000;
const SHOWN_REFUSALS = 20;

interface Candidate {
  id: string;
  parentId: string | null;
  state: TaskState;
  cause: StopCause | null;
  turns: number;
  activeMs: bigint;
  tokens: bigint;
  definition: unknown;
  tags: string[];
  spent: bigint;
  successor: string | null;
  isImported: boolean;
}

/** What an action would do to the tasks that fit now. */
export async function previewBulk(
  prisma: PrismaClient,
  tenantId: string,
  conditions: TaskConditions,
  action: BulkVerb,
): Promise<BulkPreview> {
  const where = taskConditions(tenantId, conditions);
  const [counted, rows] = await Promise.all([
    prisma.$queryRaw<{ n: bigint }[]>(Prisma.sql`select count(*)::bigint as n from tasks t where ${where}`),
    prisma.$queryRaw<Candidate[]>(Prisma.sql`
      select t.id, t.parent_id as "parentId", t.state::text as state, t.stop_cause as cause, t.turns, t.active_ms as "activeMs",
        t.definition, t.tags, t.input_tokens + t.output_tokens + t.cache_read_tokens + t.cache_write_5m_tokens + t.cache_write_1h_tokens as tokens,
        coalesce(b.spent_nano_usd, 0)::bigint as spent, t.imported is not null as "isImported",
        (select max(later.id) from tasks later where later.retry_of_id = t.id) as successor
      from tasks t left join budget_accounts b on b.root_id = t.root_id
      where ${where} order by t.created_at, t.id limit ${LOOKED_AT}`),
  ]);
  const judged = rows.map((row) => ({ row, reason: refusalOf(row, action) }));
  const refused = judged.flatMap(({ row, reason }) => (reason === null ? [] : [{ id: row.id, reason }]));
  // Budgets are those of trees: each counts once.
  const trees = new Map(judged.flatMap(({ row, reason }) => (reason === null ? [[row.id, row.spent]] : [])));
  return {
    matched: Number(counted[0]?.n ?? 0n),
    considered: rows.length,
    able: rows.length - refused.length,
    reasons: tally(refused.map(({ reason }) => withoutIds(reason))).map(([reason, count]) => ({
      reason,
      count,
    })),
    refused: refused.slice(0, SHOWN_REFUSALS),
    byCause: tally(rows.map((row) => row.cause ?? row.state)).map(([cause, matched]) => ({
      ...{ cause, matched },
      able: judged.filter(({ row, reason }) => (row.cause ?? row.state) === cause && reason === null).length,
    })),
    costSoFarUsd: usdOf([...trees.values()].reduce((sum, spent) => sum + spent, 0n)),
  };
}

/** How often each comes, the most frequent first. */
function tally(texts: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

function withoutIds(reason: string): string {
  return reason.replace(/\b[a-z]{2,12}_[0-9a-z]{26}\b/g, '…');
}

/** Why it cannot be done to a task, as far as can be told without its lock; null when it can. */
function refusalOf(row: Candidate, action: BulkVerb): string | null {
  const ended = isTerminal(row.state);
  switch (action.verb) {
    case 'cancel':
      return ended && row.state !== 'cancelled' ? `It is ${row.state}.` : null;
    case 'pause':
      return ended ? `It is ${row.state}.` : null;
    case 'resume':
      return row.state === 'paused' ? null : `It is ${row.state} and not paused.`;
    case 'archive':
      return ended ? null : `It is ${row.state}: only what has ended can be archived.`;
    case 'unarchive':
    case 'tag':
      return null;
    case 'retry':
      return retryReason(row, action);
  }
}

/** A row that cannot be read is refused, and does not hinder the others. */
function retryReason(row: Candidate, action: Extract<BulkVerb, { verb: 'retry' }>): string | null {
  try {
    if (row.successor !== null) return redoneReason(row.id, row.successor);
    if (action.mode === 'new') return redoRefusal(row)?.reason ?? null;
    const { limits } = withLimits(row, action.limits ?? {});
    const task = {
      ...{ id: row.id, parentId: row.parentId, state: row.state, stopCause: row.cause, turns: row.turns },
      ...{ activeMs: Number(row.activeMs), tokens: Number(row.tokens), spentNanoUsd: row.spent },
      isImported: row.isImported,
    };
    return retryRefusal(task, limits)?.reason ?? null;
  } catch (error) {
    return errorText(error);
  }
}

interface ViewRow {
  id: string;
  action: unknown;
  filter: unknown;
  createdBy: string;
  createdAt: Date;
  endedAt: Date | null;
  stopped: boolean;
  total: bigint;
  done: bigint;
  refused: bigint;
}

const VIEW = Prisma.sql`
  select b.id, b.action, b.filter, b.created_by as "createdBy", b.created_at as "createdAt", b.ended_at as "endedAt", b.stopped, n.*
  from bulk_actions b cross join lateral (
    select count(*) as total, count(*) filter (where i.state = 'done') as done, count(*) filter (where i.state = 'refused') as refused
    from bulk_items i where i.bulk_id = b.id) n`;

/** One action; null when the tenant has none with this id. */
export async function getBulkAction(
  prisma: PrismaClient,
  tenantId: string,
  id: string,
): Promise<BulkActionView | null> {
  const [row] = await prisma.$queryRaw<ViewRow[]>(
    Prisma.sql`${VIEW} where b.id = ${id} and b.tenant_id = ${tenantId}`,
  );
  return row === undefined ? null : viewOf(row);
}

/** Newest first. */
export async function listBulkActions(
  prisma: PrismaClient,
  tenantId: string,
  { limit, after }: PageQuery,
): Promise<BulkActionPage> {
  const fingerprint = filterFingerprint({ list: 'bulk-actions' });
  const beyond = after === undefined ? {} : beyondKey(decodeCursor(fingerprint, after), 'desc');
  const rows = await prisma.bulkAction.findMany({
    where: { tenantId, ...beyond },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
    select: { id: true, createdAt: true },
  });
  const page = toPage(
    rows,
    limit,
    ({ id }) => id,
    ({ createdAt, id }) => encodeCursor(fingerprint, [createdAt.getTime(), id]),
  );
  const views = await prisma.$queryRaw<ViewRow[]>(
    Prisma.sql`${VIEW} where b.id = any(${page.data}) order by b.created_at desc, b.id desc`,
  );
  return { ...page, data: views.map(viewOf) };
}

function viewOf(row: ViewRow): BulkActionView {
  const { id, createdBy, createdAt, endedAt, stopped } = row;
  const column = (name: string) => ({ table: 'bulk_actions', id, column: name });
  const [total, done, refused] = [Number(row.total), Number(row.done), Number(row.refused)];
  return {
    ...{ id, createdBy, total, done, refused, left: total - done - refused },
    action: columnOf(BulkVerb, row.action, column('action')),
    filter: columnOf(TaskFilter.nullable(), row.filter, column('filter')),
    state: endedAt === null ? 'running' : stopped ? 'stopped' : 'done',
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}

interface ItemRow {
  position: number;
  taskId: string;
  title: string | null;
  state: BulkItemState;
  reason: string | null;
  newTaskId: string | null;
}

/** The tasks of an action in the order in which they are tried. The caller has checked that it is the tenant's. */
export async function listBulkItems(
  prisma: PrismaClient,
  bulkId: string,
  { limit, after, state }: ListBulkItems,
): Promise<BulkItemPage> {
  const fingerprint = filterFingerprint({ list: 'bulk-items', bulkId, state });
  const [position = 0] = after === undefined ? [] : decodeCursor(fingerprint, after);
  if (typeof position !== 'number' || Math.abs(position) >= 2 ** 31)
    throw badCursor('is not a cursor of this list');
  const rows = await prisma.$queryRaw<ItemRow[]>(Prisma.sql`
    select i.position, i.task_id as "taskId", t.title, i.state, i.reason, i.new_task_id as "newTaskId"
    from bulk_items i left join tasks t on t.id = i.task_id
    where i.bulk_id = ${bulkId} and i.position > ${position} ${state === undefined ? Prisma.empty : Prisma.sql`and i.state = ${state}`}
    order by i.position limit ${limit + 1}`);
  return toPage(
    rows,
    limit,
    ({ position: _position, ...item }) => item,
    (row) => encodeCursor(fingerprint, [row.position]),
  );
}
