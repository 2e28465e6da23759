/** What tasks used and cost. Sums are exact: integers in Postgres, decimal strings outside. */
import { usdOf, type TaskUsageView, type UsageQuery, type UsageReport } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { getTaskHead } from './tasks.js';
import { addSums, ARCHIVED_SUMS, USAGE_SUMS, usageTotalsOf, type UsageSums } from './usage-sums.js';

/**
 * Usage of a task alone (`own`) and with everything below it (`tree`). The budget is the account of the whole tree's root.
 * Null when the tenant has no task with this id.
 */
export async function getTaskUsage(
  prisma: PrismaClient,
  tenantId: string,
  taskId: string,
): Promise<TaskUsageView | null> {
  const head = await getTaskHead(prisma, tenantId, taskId);
  if (head === null) return null;
  const [rows, toolCalls, account] = await Promise.all([
    usageBelow(prisma, taskId),
    toolCallsBelow(prisma, taskId),
    prisma.budgetAccount.findUnique({ where: { rootId: head.rootId } }),
  ]);
  return {
    taskId,
    own: usageTotalsOf(addSums(rows.filter((row) => row.own))),
    tree: usageTotalsOf(addSums(rows)),
    byModel: groupBy(rows, (row) => row.model).map(([model, sums]) => ({ ...usageTotalsOf(sums), model })),
    budget: {
      limitUsd: account?.limitNanoUsd == null ? null : usdOf(account.limitNanoUsd),
      spentUsd: usdOf(account?.spentNanoUsd ?? 0n),
      reservedUsd: usdOf(account?.reservedNanoUsd ?? 0n),
    },
    toolCalls,
  };
}

/**
 * Usage of a tenant by day (UTC), model or agent; sorted by key. Groups without usage are absent. What was pruned counts, too; it
 * is known by day only, so a day of which the query takes a part is taken whole when its beginning is in the query, and else not.
 */
export async function getUsageReport(
  prisma: PrismaClient,
  tenantId: string,
  query: UsageQuery,
): Promise<UsageReport> {
  const key = {
    day: Prisma.sql`to_char(at at time zone 'UTC', 'YYYY-MM-DD')`,
    model: Prisma.sql`model`,
    agent: Prisma.sql`agent`,
  }[query.groupBy];
  const from = query.from === undefined ? Prisma.empty : Prisma.sql`and at >= ${new Date(query.from)}`;
  const to = query.to === undefined ? Prisma.empty : Prisma.sql`and at < ${new Date(query.to)}`;
  const rows = await prisma.$queryRaw<(UsageSums & { key: string })[]>(Prisma.sql`
    select ${key} as "key", ${USAGE_SUMS} from usage_records where tenant_id = ${tenantId} ${from} ${to} group by 1
    union all
    select ${key} as "key", ${ARCHIVED_SUMS} from (select *, day::timestamp at time zone 'UTC' as at from usage_archive) archived
    where tenant_id = ${tenantId} ${from} ${to} group by 1
    order by 1`);
  const groups = groupBy(rows, (row) => row.key);
  return {
    groupBy: query.groupBy,
    data: groups.map(([name, sums]) => ({ ...usageTotalsOf(sums), key: name })),
    total: usageTotalsOf(addSums(rows)),
  };
}

const below = (taskId: string) => Prisma.sql`
  with recursive below as (
    select id from tasks where id = ${taskId}
    union all
    select child.id from tasks child join below on child.parent_id = below.id
  )`;

function usageBelow(prisma: PrismaClient, taskId: string) {
  return prisma.$queryRaw<(UsageSums & { model: string; own: boolean })[]>(Prisma.sql`
    ${below(taskId)}
    select model, task_id = ${taskId} as "own", ${USAGE_SUMS}
    from usage_records where task_id in (select id from below) group by 1, 2 order by 1, 2`);
}

async function toolCallsBelow(prisma: PrismaClient, taskId: string): Promise<TaskUsageView['toolCalls']> {
  const rows = await prisma.$queryRaw<
    { tool: string; calls: bigint; errors: bigint; ms: bigint }[]
  >(Prisma.sql`
    ${below(taskId)}
    select tool, count(*)::bigint as calls, (count(*) filter (where is_error))::bigint as errors,
           coalesce(sum(extract(epoch from ended_at - started_at) * 1000), 0)::bigint as ms
    from tool_calls where task_id in (select id from below) group by tool order by tool`);
  return rows.map((row) => ({
    tool: row.tool,
    calls: Number(row.calls),
    errors: Number(row.errors),
    durationMs: Number(row.ms),
  }));
}

function groupBy<Row extends UsageSums>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): [string, UsageSums][] {
  const keys = [...new Set(rows.map(keyOf))];
  return keys.map((key) => [key, addSums(rows.filter((row) => keyOf(row) === key))]);
}
