/** What goes on in whole trees, for lists that show one line for each. */
import { usdOf, type Doing, type TaskView, type TreeSummary } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { doingOf } from './doing.js';

interface Row {
  rootId: string;
  tasks: bigint;
  ended: bigint;
  failed: bigint;
  running: string[];
  costNanoUsd: bigint;
  unpricedCalls: bigint;
}

interface Ask {
  rootId: string;
  id: string;
  taskId: string;
  kind: string;
  title: string;
  asks: bigint;
}

/** The same tasks, each root with a summary of its tree. */
export async function withSummaries(prisma: PrismaClient, tasks: readonly TaskView[]): Promise<TaskView[]> {
  const roots = tasks.filter(({ parentId }) => parentId === null).map(({ id }) => id);
  if (roots.length === 0) return [...tasks];
  const [rows, asks] = await Promise.all([countsOf(prisma, roots), asksOf(prisma, roots)]);
  const doing = await doingOf(
    prisma,
    rows.flatMap(({ running }) => running),
  );
  const trees = new Map(rows.map((row) => [row.rootId, summaryOf(row, asks.get(row.rootId), doing)]));
  return tasks.map((task) => {
    const tree = trees.get(task.id);
    return tree === undefined ? task : { ...task, tree };
  });
}

function countsOf(prisma: PrismaClient, roots: readonly string[]): Promise<Row[]> {
  return prisma.$queryRaw<Row[]>(Prisma.sql`
    select t.root_id as "rootId", count(*)::bigint as tasks, (count(*) filter (where t.ended_at is not null))::bigint as ended,
      (count(*) filter (where t.state = 'failed'))::bigint as failed,
      coalesce(array_agg(t.id) filter (where t.state = 'running'), '{}') as running,
      coalesce(sum(coalesce(u.cost, (t.imported #>> '{view,usage,costUsd}')::numeric * 1000000000)), 0)::bigint as "costNanoUsd",
      coalesce(sum(coalesce((t.imported #>> '{view,usage,unpricedCalls}')::bigint, u.unpriced)), 0)::bigint as "unpricedCalls"
    from tasks t left join lateral (
      select sum(r.cost_nano_usd) as cost, count(*) filter (where r.cost_nano_usd is null) as unpriced
      from usage_records r where r.task_id = t.id) u on true
    where t.root_id = any(${[...roots]}) group by t.root_id`);
}

/** The oldest open request of each tree, and how many there are. */
async function asksOf(prisma: PrismaClient, roots: readonly string[]): Promise<ReadonlyMap<string, Ask>> {
  const rows = await prisma.$queryRaw<Ask[]>(Prisma.sql`
    select distinct on (i.root_id) i.root_id as "rootId", i.id, i.task_id as "taskId", i.kind::text as kind, i.title,
      count(*) over (partition by i.root_id) as asks
    from interactions i where i.root_id = any(${[...roots]}) and i.answered_at is null and i.withdrawn_at is null
    order by i.root_id, i.created_at, i.id`);
  return new Map(rows.map((row) => [row.rootId, row]));
}

function summaryOf(row: Row, ask: Ask | undefined, doing: ReadonlyMap<string, Doing>): TreeSummary {
  const oldest = row.running
    .flatMap((id) => doing.get(id) ?? [])
    .sort((a, b) => (a.since < b.since ? -1 : 1))[0];
  return {
    tasks: Number(row.tasks),
    ended: Number(row.ended),
    failed: Number(row.failed),
    running: row.running.length,
    asks: Number(ask?.asks ?? 0),
    ask: ask === undefined ? null : { id: ask.id, taskId: ask.taskId, kind: ask.kind, title: ask.title },
    doing: oldest ?? null,
    costUsd: usdOf(row.costNanoUsd),
    unpricedCalls: Number(row.unpricedCalls),
  };
}
