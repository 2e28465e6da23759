/** What usage of a time was for: what became of the trees, and the dearest of them. */
import { usdOf, type UsageQuery, type UsageReport } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { within } from './usage-source.js';

type State = UsageReport['outcomes'][number]['state'];

/** All trees that ended in one way (`title` is null), or one of the dearest (`state` is null), with a count of trees or of tasks. */
interface Row {
  state: State | null;
  taskId: string | null;
  title: string | null;
  count: bigint;
  cost: bigint;
  unpriced: bigint;
}

/** The usage of a source (`UsageSources`) by trees. */
export async function usageTrees(
  prisma: PrismaClient,
  source: Prisma.Sql,
  query: UsageQuery,
): Promise<Pick<UsageReport, 'outcomes' | 'dearest'>> {
  // One statement: what takes time is to read the source.
  const rows = await prisma.$queryRaw<Row[]>(Prisma.sql`
    with trees as materialized (
      select u.root_id, sum(u.cost_nano_usd)::bigint as cost, sum(u.unpriced_calls)::bigint as unpriced
      from (${source}) u where u.root_id is not null group by u.root_id
    ), outcomes as (
      select t.state, count(*) as count, sum(trees.cost)::bigint as cost, sum(trees.unpriced)::bigint as unpriced
      from trees join tasks t on t.id = trees.root_id
      where t.parent_id is null and t.state in ('completed', 'failed', 'cancelled') group by t.state
    ), dearest as (
      select * from trees order by cost desc, root_id limit 10
    )
    select state::text, "taskId", title, count, cost, unpriced from (
      select state, null as "taskId", null as title, count, cost, unpriced from outcomes
      union all
      select null, t.id, t.title, (
          select count(distinct u.task_id) from tasks own join usage_records u on u.task_id = own.id
          where own.root_id = t.id and ${within(query)}),
        cost, unpriced
      from dearest join tasks t on t.id = dearest.root_id) told
    order by told.state, cost desc, "taskId"`);
  return {
    outcomes: rows.flatMap(({ state, count, ...sums }) =>
      state === null ? [] : [{ state, trees: Number(count), ...moneyOf(sums) }],
    ),
    dearest: rows.flatMap(({ taskId, title, count, ...sums }) =>
      taskId === null || title === null ? [] : [{ taskId, title, tasks: Number(count), ...moneyOf(sums) }],
    ),
  };
}

function moneyOf({ cost, unpriced }: { readonly cost: bigint; readonly unpriced: bigint }) {
  return { costUsd: usdOf(cost), unpricedCalls: Number(unpriced) };
}
