/** Saved views: those of a key, and those that others of its tenant share. */
import type { CreateSavedView, SavedView, UpdateSavedView } from '@bullpen/contracts';
import { z } from 'zod';
import { columnOf } from '../database/json-column.js';
import type { PrismaClient, SavedView as Row } from '../generated/client.js';

/** Whose views. */
export interface ViewOwner {
  readonly tenantId: string;
  readonly keyId: string;
}

const Query = z.record(z.string(), z.string());

/** By name. */
export async function listSavedViews(prisma: PrismaClient, owner: ViewOwner): Promise<SavedView[]> {
  const { tenantId, keyId } = owner;
  const rows = await prisma.savedView.findMany({
    where: { tenantId, OR: [{ keyId }, { shared: true }] },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
  });
  return rows.map((row) => viewOf(row, keyId));
}

/** Keeps a view. Null when the key has one of this name for the screen. */
export async function createSavedView(
  prisma: PrismaClient,
  owner: ViewOwner,
  id: string,
  createdBy: string,
  view: CreateSavedView,
): Promise<SavedView | null> {
  const { count } = await prisma.savedView.createMany({
    data: [{ id, ...owner, createdBy, ...view }],
    skipDuplicates: true,
  });
  return count === 0 ? null : getSavedView(prisma, owner, id);
}

/** Changes what is given of a view of the key; null when it has none with this id. */
export async function updateSavedView(
  prisma: PrismaClient,
  owner: ViewOwner,
  id: string,
  { name, query, shared }: UpdateSavedView,
): Promise<SavedView | null> {
  await prisma.savedView.updateMany({
    where: { id, ...owner },
    data: {
      ...(name !== undefined && { name }),
      ...(query !== undefined && { query }),
      ...(shared !== undefined && { shared }),
      updatedAt: new Date(),
    },
  });
  return getSavedView(prisma, owner, id);
}

/** False when the key has no view with this id. */
export async function deleteSavedView(prisma: PrismaClient, owner: ViewOwner, id: string): Promise<boolean> {
  return (await prisma.savedView.deleteMany({ where: { id, ...owner } })).count > 0;
}

async function getSavedView(prisma: PrismaClient, owner: ViewOwner, id: string): Promise<SavedView | null> {
  const row = await prisma.savedView.findFirst({ where: { id, ...owner } });
  return row && viewOf(row, owner.keyId);
}

function viewOf(row: Row, keyId: string): SavedView {
  const { id, name, screen, shared, createdBy, updatedAt } = row;
  return {
    ...{ id, name, screen, shared, createdBy, mine: row.keyId === keyId },
    query: columnOf(Query, row.query, { table: 'saved_views', id, column: 'query' }),
    updatedAt: updatedAt.toISOString(),
  };
}
