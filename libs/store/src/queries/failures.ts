/** Failed tasks by the way in which they failed. */
import { usdOf, type FailureGroup, type FailureList, type FailuresQuery } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { commonMessageOf, signatureOf } from './failure-signature.js';

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
  buckets: number[];
}

const PARTS = 24;

/** Groups of failed tasks, subtasks included; the largest first, then the newest. */
export async function listFailures(
  prisma: PrismaClient,
  tenantId: string,
  query: FailuresQuery,
): Promise<FailureList> {
  const agent = query.agent === undefined ? Prisma.empty : Prisma.sql`and t.agent = ${query.agent}`;
  const from = query.from === undefined ? null : new Date(query.from);
  const to = query.to === undefined ? null : new Date(query.to);
  const rows = await prisma.$queryRaw<Row[]>(Prisma.sql`
    with failed as (
      select t.id, t.agent, t.parent_id, coalesce(t.ended_at, t.updated_at) as at, coalesce(t.stop_cause, 'error') as cause,
        coalesce(t.failure ->> 'code', '') as code, t.failure ->> 'errorClass' as error_class,
        ${commonMessageOf('t')} as message, ${signatureOf('t')} as signature
      from tasks t where t.tenant_id = ${tenantId} and t.state = 'failed' and t.imported is null and t.archived_at is null ${agent}
        and (${from}::timestamptz is null or t.ended_at >= ${from}) and (${to}::timestamptz is null or t.ended_at < ${to})
    ), span as (
      select coalesce(${from}::timestamptz, min(at), now()) as since, coalesce(${to}::timestamptz, now()) as until from failed
    ), placed as (
      select failed.*, span.since, span.until, least(${PARTS}, greatest(1, width_bucket(extract(epoch from at),
        extract(epoch from span.since), extract(epoch from span.until) + 0.001, ${PARTS}))) as bucket
      from failed, span
    )
    select signature, cause, code, error_class as "errorClass", message, count(*)::bigint as "count",
      (count(*) filter (where parent_id is null))::bigint as "roots", min(at) as "firstAt", max(at) as "lastAt",
      (array_agg(id order by at desc, id desc))[1:3] as "newestIds", array_agg(distinct agent order by agent) as "agents",
      (sum(count(*)) over ())::bigint as "total", min(since) as since, min(until) as until, array_agg(bucket) as buckets
    from placed group by 1, 2, 3, 4, 5 order by count(*) desc, max(at) desc limit ${query.limit}`);
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
  const { signature, cause, code, errorClass, message, agents, newestIds, buckets } = row;
  const trend = Array.from(
    { length: PARTS },
    (_, at) => buckets.filter((bucket) => bucket === at + 1).length,
  );
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
