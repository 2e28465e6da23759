/** What a report of usage adds up: hours that are added up already, the calls of the rest, and days of trees that were deleted. */
import type { UsageQuery } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { PART_COLUMNS } from './usage-sums.js';

/** Whose usage: of one tenant, or (null) of all. */
export type UsageScope = string | null;

const HOUR_MS = 3_600_000;
const CALLS =
  Prisma.raw(`u.tenant_id, u.at, u.root_id, u.agent, u.model, 1 as calls, u.input_tokens, u.output_tokens, u.cache_read_tokens, u.cache_write_5m_tokens,
  u.cache_write_1h_tokens, coalesce(u.cost_nano_usd, 0) as cost_nano_usd, (u.cost_nano_usd is null)::int as unpriced_calls,
  u.estimated::int as estimated_calls, u.simulated`);

/** Columns of one of them: those of `SUMMED_UP`, `tenant_id`, `at`, `root_id` (null of what was deleted), `agent` and `model`. */
export interface UsageSources {
  /** By agents and models. */
  readonly byModel: Prisma.Sql;
  /** The same in a quarter of the rows, or fewer: what is added up tells neither agents nor models apart. */
  readonly byTree: Prisma.Sql;
}

/** Queries of them. What is added up stays so, so it does not matter when that goes on meanwhile. */
export async function usageSources(
  prisma: PrismaClient,
  scope: UsageScope,
  query: UsageQuery,
): Promise<UsageSources> {
  const seal = await prisma.usageSeal.findFirst();
  const { first, last } = wholeHours(query, seal?.until ?? null);
  const tenant = scope === null ? Prisma.empty : Prisma.sql`u.tenant_id = ${scope} and`;
  const calls = (condition: Prisma.Sql) =>
    Prisma.sql`select ${CALLS} from usage_records u where ${tenant} ${within(query)} and ${condition}`;
  const others = [
    ...(last === null
      ? [calls(Prisma.sql`true`)]
      : [
          calls(Prisma.sql`u.at >= ${last}`),
          ...(first === null ? [] : [calls(Prisma.sql`u.at < ${first}`)]),
        ]),
    Prisma.sql`select tenant_id, at, null, agent, model, ${PART_COLUMNS} from (select *, day::timestamp at time zone 'UTC' as at from usage_archive) u
      where ${tenant} ${within(query)}`,
  ];
  const from = (table: string, keys: string): Prisma.Sql => {
    const hours = Prisma.sql`select tenant_id, hour as at, root_id, ${Prisma.raw(keys)}, ${PART_COLUMNS} from ${Prisma.raw(table)} u
      where ${tenant} u.hour < ${last} and ${first === null ? Prisma.sql`true` : Prisma.sql`u.hour >= ${first}`}`;
    return Prisma.join(last === null ? others : [hours, ...others], ' union all ');
  };
  return {
    byModel: from('usage_hours', 'agent, model'),
    byTree: from('usage_tree_hours', 'null as agent, null as model'),
  };
}

/** The hours that are whole and added up; `last` is null when there are none. */
function wholeHours({ from, to }: UsageQuery, until: Date | null) {
  const first = from === undefined ? null : Math.ceil(Date.parse(from) / HOUR_MS) * HOUR_MS;
  const end = to === undefined ? Infinity : Math.floor(Date.parse(to) / HOUR_MS) * HOUR_MS;
  const last = Math.min(end, until?.getTime() ?? -Infinity);
  const none = last === -Infinity || (first !== null && first >= last);
  return { first: first === null ? null : new Date(first), last: none ? null : new Date(last) };
}

/** The time of the query, over `u`. */
export function within({ from, to }: UsageQuery): Prisma.Sql {
  return Prisma.join(
    [
      Prisma.sql`true`,
      ...(from === undefined ? [] : [Prisma.sql`u.at >= ${new Date(from)}`]),
      ...(to === undefined ? [] : [Prisma.sql`u.at < ${new Date(to)}`]),
    ],
    ' and ',
  );
}
