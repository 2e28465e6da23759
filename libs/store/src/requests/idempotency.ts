/**
 * Idempotency keys: the first request with a key does the work, and later ones get its answer. The row is the lock and the memory.
 */
import { AppError, type Json } from '@bullpen/contracts';
import type { PoolClient } from 'pg';
import { Prisma, type PrismaClient } from '../generated/client.js';

/** How long an answer is kept. */
const KEPT_MS = 24 * 3_600_000;
/** A request that has been in flight for longer than this is dead: no request runs that long. */
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

/** The right to do the work of a key. `since` tells it from that of a request that took the key over. */
export interface IdempotencyClaim extends IdempotencyRef {
  readonly since: Date;
}

export type Begin =
  /** This request does the work; nobody did, or an earlier one died before it answered. */
  | { readonly kind: 'fresh'; readonly claim: IdempotencyClaim }
  | { readonly kind: 'replay'; readonly claim: IdempotencyClaim; readonly answer: StoredAnswer }
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
  const taken = await prisma.$queryRaw<{ since: Date }[]>(Prisma.sql`
    insert into idempotency_keys as known (tenant_id, key, request_hash, created_at)
    values (${ref.tenantId}, ${ref.key}, ${requestHash}, clock_timestamp())
    on conflict (tenant_id, key) do update
      set request_hash = excluded.request_hash, status = null, response = null, location = null,
          created_at = excluded.created_at
      where known.created_at < clock_timestamp() - ${KEPT_MS} * interval '1 ms'
         or (known.status is null and known.request_hash = excluded.request_hash
             and known.created_at < clock_timestamp() - ${IN_FLIGHT_MS} * interval '1 ms')
    returning created_at as since`);
  if (taken[0] !== undefined) return { kind: 'fresh', claim: { ...ref, since: taken[0].since } };
  const { tenantId, key } = ref;
  const known = await prisma.idempotencyKey.findUnique({ where: { tenantId_key: { tenantId, key } } });
  // Gone between the two statements: its request failed and gave the key back.
  if (known === null) return { kind: 'in_flight' };
  if (known.requestHash !== requestHash) return { kind: 'reused' };
  if (known.status === null) return { kind: 'in_flight' };
  return {
    kind: 'replay',
    claim: { tenantId, key, since: known.createdAt },
    answer: { status: known.status, location: known.location, response: known.response as Json },
  };
}

/** Stores the answer, so that the next request with the key gets it. A claim that was lost stores nothing. */
export async function completeIdempotent(
  prisma: PrismaClient,
  claim: IdempotencyClaim,
  answer: StoredAnswer,
): Promise<void> {
  await prisma.idempotencyKey.updateMany({
    where: whereOf(claim),
    data: {
      status: answer.status,
      location: answer.location,
      response: answer.response === null ? Prisma.JsonNull : answer.response,
    },
  });
}

/**
 * Stores the answer in the transaction of the effect itself, so that either both happen or neither. Throws `idempotency_in_flight`
 * when another request took the key over meanwhile: the transaction must roll back, or the effect would happen twice.
 */
export async function completeWithin(
  client: PoolClient,
  claim: IdempotencyClaim,
  answer: StoredAnswer,
): Promise<void> {
  const { rowCount } = await client.query(
    `update idempotency_keys set status = $4, location = $5, response = $6::json
     where tenant_id = $1 and key = $2 and created_at = $3 and status is null`,
    [claim.tenantId, claim.key, claim.since, answer.status, answer.location, JSON.stringify(answer.response)],
  );
  if (rowCount === 1) return;
  throw new AppError('idempotency_in_flight', 'Another request with this Idempotency-Key has taken over.');
}

/** Gives the key back after a request that did nothing. Keeps a row that already has an answer. */
export async function abandonIdempotent(prisma: PrismaClient, claim: IdempotencyClaim): Promise<void> {
  await prisma.idempotencyKey.deleteMany({ where: { ...whereOf(claim), status: null } });
}

const whereOf = ({ tenantId, key, since }: IdempotencyClaim) => ({ tenantId, key, createdAt: since });

/** Removes keys that are older than a day. Returns how many. */
export async function purgeIdempotencyKeys(prisma: PrismaClient): Promise<number> {
  const { count } = await prisma.idempotencyKey.deleteMany({
    where: { createdAt: { lt: new Date(Date.now() - KEPT_MS) } },
  });
  return count;
}
