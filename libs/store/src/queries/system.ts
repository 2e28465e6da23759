/** The state of the installation: workers that live, tasks by state, repairs that were needed. */
import type { SystemInfo } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { WORKER_SEEN_MS } from '../providers/provider-waits.js';

/** What the database knows of the system. `simulated` when any living worker talks to the local model simulator. */
export async function getSystemState(
  prisma: PrismaClient,
): Promise<Pick<SystemInfo, 'workers' | 'repairs'> & { simulated: boolean }> {
  const [workers, repairs] = await Promise.all([
    prisma.worker.findMany({
      where: { stoppedAt: null, seenAt: { gt: new Date(Date.now() - WORKER_SEEN_MS) } },
      orderBy: { startedAt: 'asc' },
    }),
    prisma.repair.findMany({ orderBy: { kind: 'asc' } }),
  ]);
  return {
    workers: workers.map(({ id, pid, host, slots, running, sandbox, seenAt }) => ({
      id,
      pid,
      host,
      slots,
      running,
      sandbox,
      seenAt: seenAt.toISOString(),
    })),
    repairs: Object.fromEntries(repairs.map(({ kind, count }) => [kind, Number(count)])),
    simulated: workers.some((worker) => worker.simulated),
  };
}

/** How many tasks of a tenant are in each state; states without a task are absent. */
export async function countTasksByState(
  prisma: PrismaClient,
  tenantId: string,
): Promise<Record<string, number>> {
  // Two, because an index has those that have ended, and another one the rest.
  const counts = (states: Prisma.Sql) => Prisma.sql`
    select state::text as state, count(*)::int as count from tasks where tenant_id = ${tenantId} and state in (${states}) group by state`;
  const rows = await prisma.$queryRaw<{ state: string; count: number }[]>(Prisma.sql`
    ${counts(Prisma.sql`'completed', 'failed', 'cancelled'`)} union all ${counts(Prisma.sql`'queued', 'running', 'waiting', 'paused'`)}`);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}
