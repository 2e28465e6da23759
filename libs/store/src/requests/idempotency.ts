/**
 * Idempotency keys: the first request with a key does the work, and later ones get its answer. The row is the lock and the memory.
 */
import { AppError, type Json } from '@bullpen/contracts';
import type { Pool, PoolClient } from 'pg';
import { SHARED } from '../database/gather.js';
import { SharedWork } from '../database/shared-work.js';
import type { PrismaClient } from '../generated/client.js';
import { pgJson, prepared } from '../steps/sql.js';

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

/** What is stored of a request together with its effect. */
export interface KeyedAnswer {
  readonly claim: IdempotencyClaim;
  readonly answer: StoredAnswer;
}

type Asked = IdempotencyRef & { readonly requestHash: string };

interface KnownRow extends Omit<StoredAnswer, 'status'> {
  readonly hash: string;
  readonly since: Date;
  readonly status: number | null;
}

/** The keys of a gateway. Requests that come together share the statements. */
export class IdempotencyKeys {
  private readonly asked: SharedWork<Asked, Date | null>;
  private readonly answered: SharedWork<KeyedAnswer, void>;

  constructor(private readonly pool: Pool) {
    this.asked = new SharedWork({ work: (batch) => this.take(batch), ...SHARED });
    this.answered = new SharedWork({ work: (batch) => this.store(batch), ...SHARED });
  }

  /** Takes the key for a request. Of many at the same time exactly one is `fresh`; a key that is older than a day counts as unused. */
  async begin(ref: IdempotencyRef, requestHash: string): Promise<Begin> {
    const since = await this.asked.ask({ ...ref, requestHash });
    if (since !== null) return { kind: 'fresh', claim: { ...ref, since } };
    const { rows } = await this.pool.query<KnownRow>(
      `SELECT request_hash AS hash, created_at AS since, status, location, response FROM idempotency_keys
       WHERE tenant_id = $1 AND key = $2`,
      [ref.tenantId, ref.key],
    );
    // Gone between the two statements: its request failed and gave the key back.
    if (rows[0] === undefined) return { kind: 'in_flight' };
    const { hash, since: taken, status, ...answer } = rows[0];
    if (hash !== requestHash) return { kind: 'reused' };
    if (status === null) return { kind: 'in_flight' };
    return { kind: 'replay', claim: { ...ref, since: taken }, answer: { status, ...answer } };
  }

  /** Stores the answer, so that the next request with the key gets it. A claim that was lost stores nothing. */
  async complete(claim: IdempotencyClaim, answer: StoredAnswer): Promise<void> {
    await this.answered.ask({ claim, answer });
  }

  /** Gives the key back after a request that did nothing. Keeps a row that already has an answer. */
  async abandon({ tenantId, key, since }: IdempotencyClaim): Promise<void> {
    await this.pool.query(
      'DELETE FROM idempotency_keys WHERE tenant_id = $1 AND key = $2 AND created_at = $3 AND status IS NULL',
      [tenantId, key, since],
    );
  }

  /** Since when each has its key; null where another has it. Of several with the same key the first one may have it. */
  private async take(batch: readonly Asked[]): Promise<(Date | null)[]> {
    const names = batch.map(({ tenantId, key }) => `${tenantId} ${key}`);
    const firsts = batch.filter((_, at) => names.indexOf(names[at] ?? '') === at);
    const { rows } = await this.pool.query<{ name: string; since: Date }>(
      prepared('take-keys', [pgJson(firsts), KEPT_MS, IN_FLIGHT_MS]),
    );
    const taken = new Map(rows.map(({ name, since }) => [name, since]));
    return batch.map((one, at) => (firsts.includes(one) ? (taken.get(names[at] ?? '') ?? null) : null));
  }

  private async store(batch: readonly KeyedAnswer[]): Promise<void[]> {
    await this.pool.query(prepared('answer-keys', [pgJson(batch)]));
    return batch.map(() => undefined);
  }
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
  if (rowCount !== 1) takenOver();
}

export function takenOver(): never {
  throw new AppError('idempotency_in_flight', 'Another request with this Idempotency-Key has taken over.');
}

/** Removes keys that are older than a day. Returns how many. */
export async function purgeIdempotencyKeys(prisma: PrismaClient): Promise<number> {
  const { count } = await prisma.idempotencyKey.deleteMany({
    where: { createdAt: { lt: new Date(Date.now() - KEPT_MS) } },
  });
  return count;
}
