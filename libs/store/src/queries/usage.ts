/** What a task used and cost. Sums are exact: integers in Postgres, decimal strings outside. */
import { usdOf, type TaskUsageView, type UsageTotals } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { getTaskHead } from './tasks.js';
import { addSums, USAGE_SUMS, usageSumsOf, usageTotalsOf, type UsageSums } from './usage-sums.js';

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
  const [spent, elsewhere, toolCalls, account] = await Promise.all([
    usageBelow(prisma, taskId),
    importedBelow(prisma, taskId),
    toolCallsBelow(prisma, taskId),
    prisma.budgetAccount.findUnique({ where: { rootId: head.rootId } }),
  ]);
  const rows = [...spent, ...elsewhere];
  return {
    taskId,
    own: usageTotalsOf(addSums(rows.filter((row) => row.own))),
    tree: usageTotalsOf(addSums(rows)),
    byModel: groupRows(rows, (row) => row.model).map(([{ model }, sums]) => ({
      ...usageTotalsOf(sums),
      model,
    })),
    budget: {
      limitUsd: account?.limitNanoUsd == null ? null : usdOf(account.limitNanoUsd),
      spentUsd: usdOf(account?.spentNanoUsd ?? 0n),
      reservedUsd: usdOf(account?.reservedNanoUsd ?? 0n),
    },
    toolCalls,
  };
}

const below = (taskId: string) => Prisma.sql`
  with recursive below as (
    select id from tasks where id = ${taskId}
    union all
    -- A look for each, because a join would be free to read all tasks, however small the tree is.
    select child.id from below cross join lateral (select id from tasks where parent_id = below.id offset 0) child
  )`;

function usageBelow(prisma: PrismaClient, taskId: string) {
  return prisma.$queryRaw<(UsageSums & { model: string; own: boolean })[]>(Prisma.sql`
    ${below(taskId)}
    select model, task_id = ${taskId} as "own", ${USAGE_SUMS}
    from usage_records where task_id = any(array(select id from below)) group by 1, 2 order by 1, 2`);
}

/** What imported tasks used where they ran. It is shown with them, and counts nowhere else. */
async function importedBelow(prisma: PrismaClient, taskId: string) {
  const rows = await prisma.$queryRaw<{ id: string; model: string; usage: UsageTotals }[]>(Prisma.sql`
    ${below(taskId)}
    select id, model, imported #> '{view,usage}' as usage
    from tasks where imported is not null and id = any(array(select id from below)) order by model, id`);
  return rows.map(({ id, model, usage }) => ({ ...usageSumsOf(usage), model, own: id === taskId }));
}

async function toolCallsBelow(prisma: PrismaClient, taskId: string): Promise<TaskUsageView['toolCalls']> {
  const rows = await prisma.$queryRaw<
    { tool: string; calls: bigint; errors: bigint; ms: bigint }[]
  >(Prisma.sql`
    ${below(taskId)}
    select tool, count(*)::bigint as calls, (count(*) filter (where is_error))::bigint as errors,
           coalesce(sum(extract(epoch from ended_at - started_at) * 1000), 0)::bigint as ms
    from tool_calls where task_id = any(array(select id from below)) group by tool order by tool`);
  return rows.map((row) => ({
    tool: row.tool,
    calls: Number(row.calls),
    errors: Number(row.errors),
    durationMs: Number(row.ms),
  }));
}

/** Rows that are alike by their key, with their sums, in the order in which the keys come. */
function groupRows<Row extends UsageSums>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): [Row, UsageSums][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return [...groups.values()].flatMap((group) => (group[0] ? [[group[0], addSums(group)]] : []));
}
