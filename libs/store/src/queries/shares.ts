/** Links that show a task to outsiders. Only a hash of the token is kept; a link ends by time or at once. */
import { createHash, randomBytes } from 'node:crypto';
import type { ShareView } from '@bullpen/contracts';
import type { PrismaClient, Share } from '../generated/client.js';

/** A share that is open now. */
export interface OpenShare {
  readonly id: string;
  readonly tenantId: string;
  readonly taskId: string;
  readonly expiresAt: Date;
}

/** Makes a share and its token, which is told only here. */
export async function createShare(
  prisma: PrismaClient,
  share: { id: string; tenantId: string; taskId: string; createdBy: string; days: number },
): Promise<{ view: ShareView; token: string }> {
  const token = `share_${randomBytes(32).toString('base64url')}`;
  const { days, ...rest } = share;
  const expiresAt = new Date(Date.now() + days * 86_400_000);
  const row = await prisma.share.create({ data: { ...rest, hash: hashOf(token), expiresAt } });
  return { view: viewOf(row), token };
}

/** Newest first, those that are over among them. */
export async function listShares(
  prisma: PrismaClient,
  tenantId: string,
  taskId: string,
): Promise<ShareView[]> {
  const rows = await prisma.share.findMany({
    where: { tenantId, taskId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  return rows.map(viewOf);
}

/** Ends a share; false when the tenant has none with this id. Safe to repeat. */
export async function revokeShare(prisma: PrismaClient, tenantId: string, id: string): Promise<boolean> {
  await prisma.share.updateMany({
    where: { id, tenantId, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  return (await prisma.share.count({ where: { id, tenantId } })) > 0;
}

/** What a token opens; null when it is unknown, over or revoked: the three must look the same. */
export async function openShare(prisma: PrismaClient, token: string): Promise<OpenShare | null> {
  const row = await prisma.share.findUnique({ where: { hash: hashOf(token) } });
  if (row === null || row.revokedAt !== null || row.expiresAt.getTime() <= Date.now()) return null;
  return row;
}

/** Counts that somebody opened it. */
export async function countOpening(prisma: PrismaClient, id: string): Promise<void> {
  await prisma.share.updateMany({ where: { id }, data: { opened: { increment: 1 } } });
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function viewOf(row: Share): ShareView {
  const { id, taskId, createdBy, createdAt, expiresAt, revokedAt, opened } = row;
  return {
    ...{ id, taskId, createdBy, opened },
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}
