/** What a report of usage adds up: hours that are added up already, the calls of the rest, and days of trees that were deleted. */
import type { UsageQuery } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';

/** Whose usage: of one tenant, or (null) of all. */
export type UsageScope = string | null;

const HOUR_MS = 3_600_000;
const COLUMNS =
  Prisma.raw(`agent, model, simulated, calls, unpriced_calls, estimated_calls, input_tokens, output_tokens, cache_read_tokens,
  cache_write_5m_tokens, cache_write_1h_tokens, cost_nano_usd`);
const CALLS =
  Prisma.raw(`u.tenant_id, u.at, u.root_id, u.agent, u.model, u.simulated, 1 as calls, (u.cost_nano_usd is null)::int as unpriced_calls,
  u.estimated::int as estimated_calls, u.input_tokens, u.output_tokens, u.cache_read_tokens, u.cache_write_5m_tokens, u.cache_write_1h_tokens,
  coalesce(u.cost_nano_usd, 0) as cost_nano_usd`);

/** A query of them. What is added up stays so, so it does not matter when that goes on meanwhile. */
export async function usageSource(
  prisma: PrismaClient,
  scope: UsageScope,
  query: UsageQuery,
): Promise<Prisma.Sql> {
  const seal = await prisma.usageSeal.findFirst();
  const { first, last } = wholeHours(query, seal?.until ?? null);
  const tenant = scope === null ? Prisma.empty : Prisma.sql`u.tenant_id = ${scope} and`;
  const calls = (condition: Prisma.Sql) =>
    Prisma.sql`select ${CALLS} from usage_records u where ${tenant} ${within(query)} and ${condition}`;
  const parts = [
    ...(last === null
      ? [calls(Prisma.sql`true`)]
      : [
          Prisma.sql`select tenant_id, hour as at, root_id, ${COLUMNS} from usage_hours u where ${tenant} u.hour < ${last}
            and ${first === null ? Prisma.sql`true` : Prisma.sql`u.hour >= ${first}`}`,
          calls(Prisma.sql`u.at >= ${last}`),
          ...(first === null ? [] : [calls(Prisma.sql`u.at < ${first}`)]),
        ]),
    Prisma.sql`select tenant_id, at, null, ${COLUMNS} from (select *, day::timestamp at time zone 'UTC' as at from usage_archive) u
      where ${tenant} ${within(query)}`,
  ];
  return Prisma.join(parts, ' union all ');
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
