/** Endpoints of webhooks and what became of their deliveries. Scoped by tenant; secrets are never among it. */
import type {
  DeliveryDetails,
  DeliveryPage,
  DeliveryView,
  ListDeliveries,
  WebhookEventType,
  WebhookView,
} from '@bullpen/contracts';
import type { PrismaClient, WebhookDelivery, WebhookEndpoint } from '../generated/client.js';
import { beyondKey, decodeCursor, encodeCursor, filterFingerprint, toPage } from './page-cursor.js';

interface Ref {
  readonly tenantId: string;
  readonly id: string;
}

/** All endpoints of a tenant, in order of their making. */
export async function listWebhooks(prisma: PrismaClient, tenantId: string): Promise<WebhookView[]> {
  return (await prisma.webhookEndpoint.findMany({ where: { tenantId }, orderBy: { id: 'asc' } })).map(viewOf);
}

export async function getWebhook(prisma: PrismaClient, ref: Ref): Promise<WebhookView | null> {
  const row = await prisma.webhookEndpoint.findFirst({ where: { id: ref.id, tenantId: ref.tenantId } });
  return row === null ? null : viewOf(row);
}

/** Deliveries of an endpoint, newest first. Throws `invalid_request` for a cursor of another list. */
export async function listDeliveries(
  prisma: PrismaClient,
  { tenantId, id }: Ref,
  { limit, after, state }: ListDeliveries,
): Promise<DeliveryPage> {
  const fingerprint = filterFingerprint({ list: 'deliveries', id, state });
  const rows = await prisma.webhookDelivery.findMany({
    where: {
      AND: [
        { endpointId: id, tenantId, ...(state && { state }) },
        after === undefined ? {} : beyondKey(decodeCursor(fingerprint, after), 'desc'),
      ],
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
    omit: { payload: true },
  });
  return toPage(rows, limit, deliveryViewOf, (row) =>
    encodeCursor(fingerprint, [row.createdAt.getTime(), row.id]),
  );
}

/** A delivery with its payload and its attempts. */
export async function getDelivery(
  prisma: PrismaClient,
  { tenantId, id }: Ref,
): Promise<DeliveryDetails | null> {
  const row = await prisma.webhookDelivery.findFirst({
    where: { id, tenantId },
    include: { log: { orderBy: { number: 'asc' } } },
  });
  if (row === null) return null;
  const log = row.log.map(({ deliveryId: _, at, ...attempt }) => ({ ...attempt, at: at.toISOString() }));
  return { ...deliveryViewOf(row), payload: row.payload, log };
}

function viewOf(row: WebhookEndpoint): WebhookView {
  const { id, url, description, subtasks, failures, disabledReason } = row;
  return {
    ...{ id, url, description, subtasks, failures, disabledReason },
    // Only the gateway writes them, through the schema.
    events: row.events as WebhookEventType[],
    createdAt: row.createdAt.toISOString(),
    failingSince: row.failingSince?.toISOString() ?? null,
    disabledAt: row.disabledAt?.toISOString() ?? null,
  };
}

function deliveryViewOf(row: Omit<WebhookDelivery, 'payload'>): DeliveryView {
  const { id, endpointId: webhookId, type, taskId, state, attempts, lastStatus, lastError } = row;
  return {
    ...{ id, webhookId, type, taskId, state, attempts, lastStatus, lastError },
    nextAt: state === 'pending' ? row.nextAt.toISOString() : null,
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}
