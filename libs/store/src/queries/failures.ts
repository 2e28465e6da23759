/** Failed tasks by the way in which they failed. What these have in common, each task's row says: see the migration `lists_at_scale`. */
import { usdOf, type FailureGroup, type FailureList, type FailuresQuery } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';

interface Row {
  signature: string;
  cause: string;
  code: string;
  errorClass: string | null;
  message: string;
  count: bigint;
  roots: bigint;
  firstAt: Date;
  lastAt: Date;
  newestIds: string[];
  agents: string[];
  total: bigint;
  since: Date;
  until: Date;
  trend: number[];
}

const PARTS = 24;
const NEWEST = 3;

/** Groups of failed tasks, subtasks included; the largest first, then the newest. */
export async function listFailures(
  prisma: PrismaClient,
  tenantId: string,
  query: FailuresQuery,
): Promise<FailureList> {
  const from = query.from === undefined ? null : new Date(query.from);
  const to = query.to === undefined ? null : new Date(query.to);
  const agent = query.agent === undefined ? Prisma.empty : Prisma.sql`and t.agent = ${query.agent}`;
  const since = from === null ? Prisma.empty : Prisma.sql`and t.ended_at >= ${from}`;
  const until = to === null ? Prisma.empty : Prisma.sql`and t.ended_at < ${to}`;
  // All that it asks for is in one index, which also has the newest of each group first.
  const failed = Prisma.sql`tasks t where t.tenant_id = ${tenantId} and t.state = 'failed' and t.failure_signature is not null
    and t.archived_at is null ${agent} ${since} ${until}`;
  const rows = await prisma.$queryRaw<Row[]>(Prisma.sql`
    with failed as materialized (
      select t.failure_signature as signature, t.ended_at as at, t.agent, t.parent_id is null as is_root from ${failed}
    ), span as (
      select coalesce(${from}::timestamptz, min(at), now()) as since, coalesce(${to}::timestamptz, now()) as until from failed
    ), pieces as materialized (
      select signature, agent, least(${PARTS}, greatest(1, width_bucket(extract(epoch from at)::float8,
          extract(epoch from since)::float8, extract(epoch from until)::float8 + 0.001, ${PARTS}))) as part,
        count(*) as count, count(*) filter (where is_root) as roots, min(at) as first_at, max(at) as last_at
      from failed, span group by 1, 2, 3
    ), shown as (
      select signature, sum(count)::bigint as count, sum(roots)::bigint as roots, min(first_at) as first_at, max(last_at) as last_at,
        array_agg(distinct agent order by agent) as agents, (sum(sum(count)) over ())::bigint as total
      from pieces group by 1 order by 2 desc, 5 desc limit ${query.limit}
    )
    select shown.signature, coalesce(example.stop_cause, 'error') as cause, coalesce(example.failure ->> 'code', '') as code,
      example.failure ->> 'errorClass' as "errorClass", failure_message(example.failure) as message, shown.count, roots,
      first_at as "firstAt", last_at as "lastAt", newest.ids as "newestIds", agents, total, since, until,
      array(select coalesce(sum(pieces.count), 0)::int from generate_series(1, ${PARTS}) n
        left join pieces on part = n and pieces.signature = shown.signature group by n order by n) as trend
    from shown, span, lateral (
      select array(select t.id from ${failed} and t.failure_signature = shown.signature order by t.ended_at desc, t.id desc limit ${NEWEST}) as ids
    ) newest join tasks example on example.id = newest.ids[1]
    order by shown.count desc, last_at desc`);
  const newest = await newestOf(
    prisma,
    rows.flatMap(({ newestIds }) => newestIds),
  );
  return {
    data: rows.map((row) => groupOf(row, newest)),
    total: Number(rows[0]?.total ?? 0n),
    from: (from ?? rows[0]?.since ?? new Date()).toISOString(),
    to: (to ?? rows[0]?.until ?? new Date()).toISOString(),
  };
}

type Newest = FailureGroup['newest'][number];

async function newestOf(prisma: PrismaClient, ids: readonly string[]): Promise<ReadonlyMap<string, Newest>> {
  const rows = await prisma.task.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, title: true, endedAt: true, updatedAt: true, costNanoUsd: true },
  });
  return new Map(
    rows.map(({ id, title, endedAt, updatedAt, costNanoUsd }) => [
      id,
      { id, title, at: (endedAt ?? updatedAt).toISOString(), costUsd: usdOf(costNanoUsd) },
    ]),
  );
}

function groupOf(row: Row, newest: ReadonlyMap<string, Newest>): FailureGroup {
  const { signature, cause, code, errorClass, message, agents, newestIds, trend } = row;
  return {
    ...{ signature, cause, code, errorClass, message, agents, trend },
    count: Number(row.count),
    roots: Number(row.roots),
    firstAt: row.firstAt.toISOString(),
    lastAt: row.lastAt.toISOString(),
    exampleId: newestIds[0] ?? '',
    newest: newestIds.flatMap((id) => newest.get(id) ?? []),
  };
}
