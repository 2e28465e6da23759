/** What all tasks of a time used and cost, by groups. */
import type { UsageGroupBy, UsageQuery, UsageReport } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { usageSources, type UsageScope } from './usage-source.js';
import {
  addSums,
  PART_COLUMNS,
  SUMMED_IN_PART,
  SUMMED_UP,
  usageTotalsOf,
  type UsageSums,
} from './usage-sums.js';
import { usageTrees } from './usage-trees.js';

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
  const keys = [groupBy, splitBy] as const;
  const { byModel, byTree } = await usageSources(prisma, scope, query);
  const source = keys.some((key) => key === 'model' || key === 'agent') ? byModel : byTree;
  const [{ rows, total }, trees] = await Promise.all([
    usageGroups(prisma, scope, source, keys),
    usageTrees(prisma, byTree, query),
  ]);
  return {
    groupBy,
    splitBy,
    // The keys come first: an object that gets more of them after a spread costs several times as much.
    data: rows.map((row) => ({ key: row.key, part: row.part, ...usageTotalsOf(row) })),
    total: usageTotalsOf(addSums(total)),
    ...trees,
  };
}

type PlainKey = Exclude<UsageGroupBy, 'tag'> | null;
type Keys = readonly [UsageGroupBy, UsageGroupBy | null];
type GroupRow = UsageSums & { key: string; part: string | null };
type TotalRow = UsageSums & { key: null; part: null };
interface Groups {
  readonly rows: readonly GroupRow[];
  /** Rows that have each call once. */
  readonly total: readonly UsageSums[];
}

function usageGroups(
  prisma: PrismaClient,
  scope: UsageScope,
  source: Prisma.Sql,
  keys: Keys,
): Promise<Groups> {
  const [key, part] = keys;
  return key === 'tag' || part === 'tag'
    ? groupsByTag(prisma, scope, source, keys)
    : plainGroups(prisma, source, key, part);
}

async function plainGroups(
  prisma: PrismaClient,
  source: Prisma.Sql,
  key: PlainKey,
  part: PlainKey,
): Promise<Groups> {
  const rows = await prisma.$queryRaw<GroupRow[]>(Prisma.sql`
    select ${shownKey(key, 'sums.grouped')} as "key", ${shownKey(part, 'sums.split')} as "part", sums.* from (
      select ${keySql(key)} as grouped, ${keySql(part)} as split, ${SUMMED_UP} from (${source}) u group by 1, 2) sums
    order by 1, 2`);
  return { rows, total: rows };
}

/**
 * What trees with the same tags used is added up first, and then by each tag: a task counts for each of its tags, but only once for the total, which is
 * the row without a key.
 */
async function groupsByTag(
  prisma: PrismaClient,
  scope: UsageScope,
  source: Prisma.Sql,
  keys: Keys,
): Promise<Groups> {
  const other = keys.find((key) => key !== 'tag') ?? null;
  const [key, part] = keys.map((one) => (one === 'tag' ? Prisma.raw('tag') : shownKey(one, 'sets.other')));
  const all = await prisma.$queryRaw<(GroupRow | TotalRow)[]>(Prisma.sql`
    with sets as materialized (
      select other, tags, ${SUMMED_IN_PART} from (
        select ${keySql(other)} as other, coalesce(few.tags, many.tags, array['']) as tags, ${PART_COLUMNS} from (${source}) u
        left join (${tagsOfTrees(scope, '<=')}) few on few.id = u.root_id
        left join (${tagsOfTrees(scope, '>')}) many on many.id = u.root_id
        -- Keys of one table, as Postgres sees it: of several it expects a group for each row, and sorts all of them.
        offset 0) u
      group by other, tags)
    select ${key} as "key", ${part} as "part", ${SUMMED_UP} from sets cross join unnest(sets.tags) tag group by sets.other, tag
    union all
    select null, null, ${SUMMED_UP} from sets having count(*) > 0
    order by 1, 2`);
  return {
    rows: all.filter((row): row is GroupRow => row.key !== null),
    total: all.filter((row) => row.key === null),
  };
}

/** Tags of the roots that have any, each half from its own index. */
function tagsOfTrees(scope: UsageScope, than: '<=' | '>'): Prisma.Sql {
  return Prisma.sql`select id, tags from tasks where parent_id is null and tags <> '{}' and cardinality(tags) ${Prisma.raw(than)} 4
    ${scope === null ? Prisma.empty : Prisma.sql`and tenant_id = ${scope}`}`;
}

function keySql(key: PlainKey): Prisma.Sql {
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
  }
}

/** Days are told apart as such, which is cheaper than as text. */
function shownKey(key: PlainKey, column: string): Prisma.Sql {
  return Prisma.raw(key === 'day' ? `to_char(${column}, 'YYYY-MM-DD')` : column);
}
