/** Who a key is, and the keys that a tenant has. */
import type { ApiKeyView, Identity } from '@bullpen/contracts';
import type { PrismaClient } from '../generated/client.js';

/** What a key may do; null when it is gone. */
export async function getIdentity(prisma: PrismaClient, keyId: string): Promise<Identity | null> {
  const row = await prisma.apiKey.findUnique({ where: { id: keyId }, include: { tenant: true } });
  if (row === null) return null;
  const { tenant, name, scopes } = row;
  return {
    ...{ tenantId: tenant.id, tenantName: tenant.name, keyId, keyName: name, scopes },
    now: new Date().toISOString(),
  };
}

/** The keys of a tenant, newest first, those that work no more among them. */
export async function listApiKeys(prisma: PrismaClient, tenantId: string): Promise<ApiKeyView[]> {
  const rows = await prisma.apiKey.findMany({
    where: { tenantId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  return rows.map(({ id, name, scopes, createdAt, expiresAt, lastUsedAt, revokedAt }) => ({
    ...{ id, name, scopes, createdAt: createdAt.toISOString() },
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
  }));
}

/** From now on the key opens nothing; false when the tenant has none with this id. Safe to repeat. */
export async function revokeApiKey(prisma: PrismaClient, tenantId: string, id: string): Promise<boolean> {
  await prisma.apiKey.updateMany({
    where: { id, tenantId, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  return (await prisma.apiKey.count({ where: { id, tenantId } })) > 0;
}
