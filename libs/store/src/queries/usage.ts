/** What tasks used and cost. Sums are exact: integers in Postgres, decimal strings outside. */
import {
  usdOf,
  type TaskUsageView,
  type UsageGroupBy,
  type UsageQuery,
  type UsageReport,
  type UsageTotals,
} from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { getTaskHead } from './tasks.js';
import { usageSource, within, type UsageScope } from './usage-source.js';
import { addSums, SUMMED_UP, USAGE_SUMS, usageSumsOf, usageTotalsOf, type UsageSums } from './usage-sums.js';

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

/**
 * Usage by one or two keys, sorted by them; groups without usage are absent. What was pruned counts, too, under no tag; it is known by
 * day only, so a day of which the query takes a part is taken whole when its beginning is in the query, and else not.
 */
export async function getUsageReport(
  prisma: PrismaClient,
  scope: UsageScope,
  query: UsageQuery,
): Promise<UsageReport> {
  const { groupBy, splitBy = null } = query;
  const source = await usageSource(prisma, scope, query);
  const [rows, total, trees] = await Promise.all([
    usageGroups(prisma, source, [groupBy, splitBy]),
    // A task counts for each of its tags, but only once for the whole.
    groupBy === 'tag' || splitBy === 'tag' ? usageGroups(prisma, source, ['model', null]) : null,
    usageTrees(prisma, source, query),
  ]);
  const groups = groupRows(rows, ({ key, part }) => JSON.stringify([key, part]));
  return {
    groupBy,
    splitBy,
    data: groups.map(([{ key, part }, sums]) => ({ ...usageTotalsOf(sums), key, part })),
    total: usageTotalsOf(addSums(total ?? rows)),
    ...trees,
  };
}

type Key = UsageGroupBy | null;
type GroupRow = UsageSums & { key: string; part: string | null };

function usageGroups(
  prisma: PrismaClient,
  source: Prisma.Sql,
  keys: readonly [Key, Key],
): Promise<GroupRow[]> {
  // One look at all roots that have tags: a look for each hour of each tree takes ten times as long.
  const tags = keys.includes('tag')
    ? Prisma.sql`left join (select id, unnest(tags) as tag from tasks where parent_id is null and tags <> '{}') tagged on tagged.id = u.root_id`
    : Prisma.empty;
  return prisma.$queryRaw<GroupRow[]>(Prisma.sql`
    select ${shownKey(keys[0], 'grouped')} as "key", ${shownKey(keys[1], 'split')} as "part", sums.* from (
      select ${keySql(keys[0])} as grouped, ${keySql(keys[1])} as split, ${SUMMED_UP} from (${source}) u ${tags} group by 1, 2) sums
    order by 1, 2`);
}

function keySql(key: Key): Prisma.Sql {
  switch (key) {
    case null:
      return Prisma.sql`null::text`;
    case 'day':
      return Prisma.sql`(u.at at time zone 'UTC')::date`;
    case 'model':
      return Prisma.sql`u.model`;
    case 'agent':
      return Prisma.sql`u.agent`;
    case 'tenant':
      return Prisma.sql`u.tenant_id`;
    case 'tag':
      return Prisma.sql`coalesce(tagged.tag, '')`;
  }
}

/** Days are told apart as such, which is cheaper than as text. */
function shownKey(key: Key, column: 'grouped' | 'split'): Prisma.Sql {
  return Prisma.raw(key === 'day' ? `to_char(sums.${column}, 'YYYY-MM-DD')` : `sums.${column}`);
}

interface TreeRow {
  taskId: string;
  title: string;
  tasks: bigint;
  cost: bigint;
  unpriced: bigint;
}
interface OutcomeRow {
  state: UsageReport['outcomes'][number]['state'];
  trees: bigint;
  cost: bigint;
  unpriced: bigint;
}

/** The same usage by trees: what became of them, and the dearest. */
async function usageTrees(
  prisma: PrismaClient,
  source: Prisma.Sql,
  query: UsageQuery,
): Promise<Pick<UsageReport, 'outcomes' | 'dearest'>> {
  const trees = Prisma.sql`trees as materialized (
    select u.root_id, sum(u.cost_nano_usd)::bigint as cost, sum(u.unpriced_calls)::bigint as unpriced
    from (${source}) u where u.root_id is not null group by u.root_id)`;
  const [dearest, outcomes] = await Promise.all([
    prisma.$queryRaw<TreeRow[]>(Prisma.sql`
      with ${trees} select t.id as "taskId", t.title, trees.cost, trees.unpriced,
        (select count(distinct u.task_id) from tasks own join usage_records u on u.task_id = own.id
         where own.root_id = t.id and ${within(query)}) as tasks
      from (select * from trees order by cost desc, root_id limit 10) trees join tasks t on t.id = trees.root_id
      order by trees.cost desc, t.id`),
    prisma.$queryRaw<OutcomeRow[]>(Prisma.sql`
      with ${trees} select t.state::text as state, count(*) as trees, sum(trees.cost)::bigint as cost,
        sum(trees.unpriced)::bigint as unpriced
      from trees join tasks t on t.id = trees.root_id
      where t.parent_id is null and t.state in ('completed', 'failed', 'cancelled') group by t.state order by t.state`),
  ]);
  return {
    dearest: dearest.map(({ taskId, title, tasks, ...sums }) => ({
      ...{ taskId, title, tasks: Number(tasks) },
      ...moneyOf(sums),
    })),
    outcomes: outcomes.map(({ state, trees: count, ...sums }) => ({
      ...{ state, trees: Number(count) },
      ...moneyOf(sums),
    })),
  };
}

function moneyOf({ cost, unpriced }: { readonly cost: bigint; readonly unpriced: bigint }) {
  return { costUsd: usdOf(cost), unpricedCalls: Number(unpriced) };
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
