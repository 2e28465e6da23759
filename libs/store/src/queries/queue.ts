/** The queue as it stands and stood, and the workers: what people look at to see whether work flows. */
import {
  FlowState,
  type Flow,
  type QueueFigures,
  type QueueSample,
  type RepairCount,
  type SampleWindow,
  type TenantFigures,
  type WorkerView,
} from '@bullpen/contracts';
import { Prisma, type PrismaClient, type Worker } from '../generated/client.js';
import { WORKER_SEEN_MS } from '../providers/provider-waits.js';
import { FIGURES, FIGURE_NAMES, joined } from '../queues/queue-samples.js';
import { doingOf } from './doing.js';

/** Everything about the queue that has to be read; nothing of it depends on who looks. */
export interface QueueState {
  readonly now: Date;
  readonly sampledAt: Date | null;
  readonly flow: Flow;
  /** With all tasks together under the id ''. */
  readonly figures: ReadonlyMap<string, QueueFigures>;
  readonly slots: { total: number; used: number; workers: number; closed: number };
  readonly repairs: readonly Omit<RepairCount, 'text'>[];
}

const NONE: QueueFigures = {
  depth: { ready: 0, later: 0, running: 0, people: 0, waiting: 0, paused: 0 },
  oldestReadyMs: null,
  inPerMinute: 0,
  outPerMinute: 0,
  wait: { count: 0, p50: null, p95: null, p99: null },
  run: { count: 0, p50: null, p95: null, p99: null },
};

/** The figures of one tenant, or ('') of all. */
export function figuresOf({ figures }: QueueState, tenantId: string): QueueFigures {
  return figures.get(tenantId) ?? NONE;
}

/** Those of each tenant that has some. */
export function figuresByTenant({ figures }: QueueState): TenantFigures[] {
  return [...figures].flatMap(([tenantId, rest]) => (tenantId === '' ? [] : [{ ...rest, tenantId }]));
}

interface FigureRow {
  tenantId: string;
  ready: number | null;
  later: number | null;
  running: number | null;
  people: number | null;
  waiting: number | null;
  paused: number | null;
  entered: number | null;
  ended: number | null;
  oldestReadyMs: bigint | null;
  waits: number | null;
  waitMs: bigint[] | null;
  runs: number | null;
  runMs: bigint[] | null;
}

/** The queue now; how long things took is from the newest sample, which is seconds old. */
export async function getQueueState(prisma: PrismaClient, name: string): Promise<QueueState | null> {
  const [flow, newest, rows, slots, repairs] = await Promise.all([
    prisma.queueFlow.findUnique({ where: { name } }),
    prisma.queueSample.findFirst({ orderBy: { at: 'desc' }, select: { at: true } }),
    figureRows(prisma),
    slotsOf(prisma),
    repairsOf(prisma),
  ]);
  if (flow === null) return null;
  return {
    now: slots.now,
    sampledAt: newest?.at ?? null,
    flow: flowOf({ ...flow, flow: flow.state }),
    figures: new Map(rows.map((row) => [row.tenantId, figuresFrom(row)])),
    slots: { total: slots.total, used: slots.used, workers: slots.workers, closed: slots.closed },
    repairs,
  };
}

function figureRows(prisma: PrismaClient): Promise<FigureRow[]> {
  return prisma.$queryRaw<FigureRow[]>(Prisma.sql`
    with ${Prisma.raw(FIGURES)}, measured as (
      select tenant_id, waits, wait_ms, runs, run_ms from queue_samples
      where at = (select max(at) from queue_samples) and at > now() - interval '5 minutes'
    )
    select tenant_id as "tenantId", ready, later, running, people, waiting, paused, entered, ended,
      oldest_ready_ms as "oldestReadyMs", waits, wait_ms as "waitMs", runs, run_ms as "runMs"
    from ${Prisma.raw(joined(...FIGURE_NAMES, 'measured'))} order by tenant_id`);
}

function figuresFrom(row: FigureRow): QueueFigures {
  const { ready, later, running, people, waiting, paused } = row;
  return {
    depth: {
      ...{ ready: ready ?? 0, later: later ?? 0, running: running ?? 0 },
      ...{ people: people ?? 0, waiting: waiting ?? 0, paused: paused ?? 0 },
    },
    oldestReadyMs: row.oldestReadyMs === null ? null : Number(row.oldestReadyMs),
    inPerMinute: row.entered ?? 0,
    outPerMinute: row.ended ?? 0,
    wait: percentilesOf(row.waits, row.waitMs),
    run: percentilesOf(row.runs, row.runMs),
  };
}

function percentilesOf(count: number | null, values: readonly bigint[] | null): QueueFigures['wait'] {
  const [p50 = null, p95 = null, p99 = null] = (values ?? []).map(Number);
  return { count: count ?? 0, p50, p95, p99 };
}

interface SlotsRow {
  now: Date;
  total: number;
  used: number;
  workers: number;
  closed: number;
}

async function slotsOf(prisma: PrismaClient): Promise<SlotsRow> {
  const [row] = await prisma.$queryRaw<SlotsRow[]>(Prisma.sql`
    select now() as now, coalesce(sum(slots), 0)::int as total, coalesce(sum(running), 0)::int as used, count(*)::int as workers,
      (count(*) filter (where flow <> 'open'))::int as closed
    from workers where stopped_at is null and seen_at > now() - ${WORKER_SEEN_MS}::int * interval '1 ms'`);
  return row ?? { now: new Date(), total: 0, used: 0, workers: 0, closed: 0 };
}

async function repairsOf(prisma: PrismaClient): Promise<Omit<RepairCount, 'text'>[]> {
  const rows = await prisma.$queryRaw<
    { kind: string; ever: bigint; lastAt: Date; lastDay: bigint }[]
  >(Prisma.sql`
    select r.kind, r.count as ever, r.last_at as "lastAt",
      coalesce((select sum(h.count) from repair_hours h where h.kind = r.kind and h.hour > now() - interval '24 hours'), 0)::bigint as "lastDay"
    from repairs r order by r.last_at desc, r.kind`);
  return rows.map(({ kind, ever, lastAt, lastDay }) => ({
    ...{ kind, ever: Number(ever), lastDay: Number(lastDay), lastAt: lastAt.toISOString() },
  }));
}

function flowOf(row: {
  readonly flow: string;
  readonly at: Date | null;
  readonly by: string | null;
  readonly reason: string | null;
}): Flow {
  const { at, by, reason } = row;
  return { state: FlowState.parse(row.flow), since: at?.toISOString() ?? null, by, reason };
}

/** How long a window is and a bucket of it, in s: 360 buckets, each at least as long as a sample stands for. */
const WINDOWS: Readonly<Record<SampleWindow, { readonly span: number; readonly bucket: number }>> = {
  '1h': { span: 3_600, bucket: 10 },
  '6h': { span: 21_600, bucket: 60 },
  '24h': { span: 86_400, bucket: 240 },
  '7d': { span: 604_800, bucket: 1_680 },
};

type SampleRow = Omit<QueueSample, 'at' | 'oldestReadyMs' | 'waitP95Ms' | 'runP95Ms'> & {
  readonly at: Date;
  readonly oldestReadyMs: bigint | null;
  readonly waitP95Ms: bigint | null;
  readonly runP95Ms: bigint | null;
};

/** The series of a tenant, or ('') of all tasks. */
export async function getQueueSamples(
  prisma: PrismaClient,
  window: SampleWindow,
  tenantId: string,
): Promise<{ from: string; now: string; bucketMs: number; data: QueueSample[] }> {
  const { span, bucket } = WINDOWS[window];
  const width = Prisma.sql`(${bucket}::int * interval '1 s')`;
  const [clock] = await prisma.$queryRaw<{ now: Date; from: Date }[]>(
    // The bucket that fills now is the last of them.
    Prisma.sql`select now() as now, date_bin(${width}, now(), 'epoch') - (${span - bucket}::int * interval '1 s') as from`,
  );
  const { now, from } = clock ?? { now: new Date(), from: new Date() };
  const rows = await prisma.$queryRaw<SampleRow[]>(Prisma.sql`
    select date_bin(${width}, at, 'epoch') as at, avg(ready)::float8 as ready, avg(running)::float8 as running,
      avg(people)::float8 as people, avg(waiting)::float8 as waiting, avg(entered)::float8 as "inPerMinute",
      avg(ended)::float8 as "outPerMinute", max(oldest_ready_ms) as "oldestReadyMs", max(wait_ms[2]) as "waitP95Ms",
      max(run_ms[2]) as "runP95Ms", avg(slots)::float8 as slots
    from queue_samples where tenant_id = ${tenantId} and at >= ${from} group by 1 order by 1`);
  return {
    from: from.toISOString(),
    now: now.toISOString(),
    bucketMs: bucket * 1_000,
    data: rows.map((row) => ({
      ...row,
      at: row.at.toISOString(),
      oldestReadyMs: row.oldestReadyMs === null ? null : Number(row.oldestReadyMs),
      waitP95Ms: row.waitP95Ms === null ? null : Number(row.waitP95Ms),
      runP95Ms: row.runP95Ms === null ? null : Number(row.runP95Ms),
    })),
  };
}

interface RunRow {
  id: string;
  rootId: string;
  title: string;
  agent: string;
  tenantId: string;
  workerId: string;
  leasedAt: Date | null;
  updatedAt: Date;
}

/** Workers that were seen recently, oldest first, with what each runs, longest first. `now` is the clock of the database. */
export async function getWorkers(prisma: PrismaClient): Promise<{ now: string; data: WorkerView[] }> {
  const workers = await prisma.$queryRaw<{ id: string; now: Date }[]>(Prisma.sql`
    select id, now() as now from workers
    where stopped_at is null and seen_at > now() - ${WORKER_SEEN_MS}::int * interval '1 ms' order by started_at, id`);
  const ids = workers.map(({ id }) => id);
  const [rows, tasks] = await Promise.all([
    prisma.worker.findMany({ where: { id: { in: ids } }, orderBy: [{ startedAt: 'asc' }, { id: 'asc' }] }),
    prisma.$queryRaw<RunRow[]>(Prisma.sql`
      select id, root_id as "rootId", title, agent, tenant_id as "tenantId", worker_id as "workerId", leased_at as "leasedAt",
        updated_at as "updatedAt"
      from tasks where state = 'running' and worker_id = any(${ids}) order by leased_at, id`),
  ]);
  const doing = await doingOf(
    prisma,
    tasks.map(({ id }) => id),
  );
  return {
    now: (workers[0]?.now ?? new Date()).toISOString(),
    data: rows.map((row) => ({
      ...workerOf(row),
      tasks: tasks
        .filter(({ workerId }) => workerId === row.id)
        .map(({ id, rootId, title, agent, tenantId, leasedAt, updatedAt }) => ({
          ...{ id, rootId, title, agent, tenantId },
          since: (leasedAt ?? updatedAt).toISOString(),
          doing: doing.get(id) ?? null,
        })),
    })),
  };
}

function workerOf(row: Worker): Omit<WorkerView, 'tasks'> {
  const { id, host, pid, version, simulated, sandbox, slots, running } = row;
  return {
    ...{ id, host, pid, version, simulated, sandbox, slots, running },
    flow: flowOf({ flow: row.flow, at: row.flowAt, by: row.flowBy, reason: row.flowReason }),
    startedAt: row.startedAt.toISOString(),
    seenAt: row.seenAt.toISOString(),
  };
}
