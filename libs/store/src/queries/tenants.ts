/** Tenants and their share of the installation. */
import type { CreateTenant, TenantView, UpdateTenant } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly weight: number;
  readonly max_running: number | null;
  readonly created_at: Date;
  readonly running: bigint;
  readonly queued: bigint;
}

/** All tenants, in order of their ids. */
export async function listTenants(prisma: PrismaClient): Promise<TenantView[]> {
  return (await rowsOf(prisma, Prisma.empty)).map(viewOf);
}

export async function getTenant(prisma: PrismaClient, id: string): Promise<TenantView | null> {
  const [row] = await rowsOf(prisma, Prisma.sql`where t.id = ${id}`);
  return row === undefined ? null : viewOf(row);
}

/** Makes a tenant. False when there is one with this id, which is left as it is. */
export async function createTenant(prisma: PrismaClient, tenant: CreateTenant): Promise<boolean> {
  const { id, name = id, weight, maxRunning } = tenant;
  const data = [{ id, name, weight, maxRunning }];
  return (await prisma.tenant.createMany({ data, skipDuplicates: true })).count > 0;
}

/** Changes what is given. False when there is no such tenant. */
export async function updateTenant(
  prisma: PrismaClient,
  id: string,
  { name, weight, maxRunning }: UpdateTenant,
): Promise<boolean> {
  const data = {
    ...(name !== undefined && { name }),
    ...(weight !== undefined && { weight }),
    ...(maxRunning !== undefined && { maxRunning }),
  };
  return (await prisma.tenant.updateMany({ where: { id }, data })).count > 0;
}

/** A dispatch row is a wake that no worker has claimed: a task that wants a slot. */
function rowsOf(prisma: PrismaClient, where: Prisma.Sql): Promise<Row[]> {
  return prisma.$queryRaw<Row[]>(Prisma.sql`
    select t.id, t.name, t.weight, t.max_running, t.created_at,
           (select count(*) from tasks k where k.tenant_id = t.id and k.state = 'running')::bigint as running,
           (select count(*) from dispatches d where d.tenant_id = t.id)::bigint as queued
    from tenants t ${where} order by t.id`);
}

function viewOf(row: Row): TenantView {
  return {
    id: row.id,
    name: row.name,
    weight: row.weight,
    maxRunning: row.max_running,
    running: Number(row.running),
    queued: Number(row.queued),
    createdAt: row.created_at.toISOString(),
  };
}
