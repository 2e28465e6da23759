/**
 * Idempotency keys: the first request with a key does the work, later ones get its answer. The row is the lock and the memory.
 */
import type { Json } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from './generated/client.js';

/** How long an answer is kept. */
const KEPT_MS = 24 * 3_600_000;
/** A request that is in flight for longer than this has died: no request runs that long. */
const IN_FLIGHT_MS = 60_000;

/** A key in its scope: the tenant, and a key text that names the route, too. */
export interface IdempotencyRef {
  readonly tenantId: string;
  readonly key: string;
}

/** The answer of the first request. */
export interface StoredAnswer {
  readonly status: number;
  readonly location: string | null;
  readonly response: Json;
}

export type Begin =
  /** This request does the work. `takenOver`: an earlier one with the same body died before it answered. */
  | { readonly kind: 'fresh'; readonly takenOver: boolean }
  | { readonly kind: 'replay'; readonly answer: StoredAnswer }
  | { readonly kind: 'in_flight' }
  /** The key was used with another body. */
  | { readonly kind: 'reused' };

/**
 * Takes the key for a request. One statement decides, so that of many at the same time exactly one is `fresh`; a key that is
 * older than a day counts as unused.
 */
export async function beginIdempotent(
  prisma: PrismaClient,
  ref: IdempotencyRef,
  requestHash: string,
): Promise<Begin> {
  const taken = await prisma.$queryRaw<{ inserted: boolean }[]>(Prisma.sql`
    insert into idempotency_keys as known (tenant_id, key, request_hash, created_at)
    values (${ref.tenantId}, ${ref.key}, ${requestHash}, clock_timestamp())
    on conflict (tenant_id, key) do update
      set request_hash = excluded.request_hash, status = null, response = null, location = null,
          created_at = excluded.created_at
      where known.created_at < clock_timestamp() - ${KEPT_MS} * interval '1 ms'
         or (known.status is null and known.request_hash = excluded.request_hash
             and known.created_at < clock_timestamp() - ${IN_FLIGHT_MS} * interval '1 ms')
    returning xmax = 0 as inserted`);
  if (taken[0] !== undefined) return { kind: 'fresh', takenOver: !taken[0].inserted };
  const known = await prisma.idempotencyKey.findUnique({ where: { tenantId_key: ref } });
  // Gone between the two statements: its request failed and gave the key back.
  if (known === null) return { kind: 'in_flight' };
  if (known.requestHash !== requestHash) return { kind: 'reused' };
  if (known.status === null) return { kind: 'in_flight' };
  return {
    kind: 'replay',
    answer: { status: known.status, location: known.location, response: known.response as Json },
  };
}

/** Stores the answer, so that the next request with the key gets it. */
export async function completeIdempotent(
  prisma: PrismaClient,
  ref: IdempotencyRef,
  answer: StoredAnswer,
): Promise<void> {
  await prisma.idempotencyKey.updateMany({
    where: ref,
    data: {
      status: answer.status,
      location: answer.location,
      response: answer.response === null ? Prisma.JsonNull : answer.response,
    },
  });
}

/** Gives the key back after a request that did nothing. Keeps a row that already has an answer. */
export async function abandonIdempotent(prisma: PrismaClient, ref: IdempotencyRef): Promise<void> {
  await prisma.idempotencyKey.deleteMany({ where: { ...ref, status: null } });
}

/** Removes keys that are older than a day. Returns how many. */
export async function purgeIdempotencyKeys(prisma: PrismaClient): Promise<number> {
  const { count } = await prisma.idempotencyKey.deleteMany({
    where: { createdAt: { lt: new Date(Date.now() - KEPT_MS) } },
  });
  return count;
}
