/** Failed tasks by the way in which they failed. */
import type { FailureList, FailuresQuery } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';

interface Row {
  cause: string;
  code: string;
  errorClass: string | null;
  message: string;
  count: bigint;
  roots: bigint;
  firstAt: Date;
  lastAt: Date;
  exampleId: string;
  agents: string[];
  total: bigint;
}

/**
 * The message without the parts that differ between tasks, so that a thousand failures of one kind are one line. The order matters:
 * a path may hold ids, and an id digits.
 */
const SIGNATURE = Prisma.sql`left(
  regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(coalesce(failure ->> 'message', ''),
    '(^|[\\s"''(=])(/[\\w.@+~-]+)+/?', '\\1<path>', 'g'),
    '\\m[a-z]{2,12}_[0-9A-Za-z]{20,30}\\M', '<id>', 'g'),
    '\\m[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\M', '<id>', 'gi'),
    '\\m(?=[0-9a-f]*[0-9])[0-9a-f]{8,}\\M', '<hex>', 'gi'),
    '[0-9]+([.,][0-9]+)*', '<n>', 'g'),
  300)`;

/** Groups of failed tasks, subtasks included; the largest first, then the newest. */
export async function listFailures(
  prisma: PrismaClient,
  tenantId: string,
  query: FailuresQuery,
): Promise<FailureList> {
  const agent = query.agent === undefined ? Prisma.empty : Prisma.sql`and agent = ${query.agent}`;
  const from = query.from === undefined ? Prisma.empty : Prisma.sql`and ended_at >= ${new Date(query.from)}`;
  const to = query.to === undefined ? Prisma.empty : Prisma.sql`and ended_at < ${new Date(query.to)}`;
  const rows = await prisma.$queryRaw<Row[]>(Prisma.sql`
    with failed as (
      select id, agent, parent_id, coalesce(ended_at, updated_at) as at, coalesce(stop_cause, 'error') as cause,
        coalesce(failure ->> 'code', '') as code, failure ->> 'errorClass' as error_class, ${SIGNATURE} as message
      from tasks where tenant_id = ${tenantId} and state = 'failed' ${agent} ${from} ${to}
    )
    select cause, code, error_class as "errorClass", message, count(*)::bigint as "count",
      (count(*) filter (where parent_id is null))::bigint as "roots", min(at) as "firstAt", max(at) as "lastAt",
      (array_agg(id order by at desc, id desc))[1] as "exampleId", array_agg(distinct agent order by agent) as "agents",
      (sum(count(*)) over ())::bigint as "total"
    from failed group by 1, 2, 3, 4 order by count(*) desc, max(at) desc limit ${query.limit}`);
  return {
    data: rows.map(({ total: _total, ...row }) => ({
      ...row,
      count: Number(row.count),
      roots: Number(row.roots),
      firstAt: row.firstAt.toISOString(),
      lastAt: row.lastAt.toISOString(),
    })),
    total: Number(rows[0]?.total ?? 0n),
  };
}
