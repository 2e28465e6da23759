/** Deliveries as the process that sends them takes them: claimed for a while, then settled. All times are the database's. */
import type { Pool, PoolClient } from 'pg';
import { prepared } from '../steps/sql.js';
import { inTransaction } from '../database/transaction.js';
import { disableWebhook } from './endpoints.js';

/** A delivery that this process should send now. */
export interface ClaimedDelivery {
  /** The `webhook-id`. */
  readonly id: string;
  readonly endpointId: string;
  readonly type: string;
  readonly payload: string;
  readonly url: string;
  /** Newest first; never empty. */
  readonly secrets: readonly string[];
  /** Number of this attempt among all of the delivery. */
  readonly number: number;
  /** Number of this attempt since the delivery was made or replayed. */
  readonly tried: number;
  /** When the attempt was claimed. */
  readonly at: Date;
}

export interface ClaimOptions {
  readonly limit: number;
  readonly perEndpoint: number;
  /** A claim that is not settled by then counts as lost, and the delivery is sent again. */
  readonly leaseMs: number;
  /** Endpoints that get none. */
  readonly busy: readonly string[];
}

/** What an attempt met, and what follows. */
export interface Settlement {
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly response: string | null;
  readonly next:
    { readonly kind: 'delivered' | 'failed' | 'gone' } | { readonly kind: 'retry'; readonly delayMs: number };
}

/** When an endpoint is given up: after this many failed attempts in a row, over at least this time. */
export interface GiveUpRule {
  readonly failures: number;
  readonly forMs: number;
}

interface ClaimedRow {
  id: string;
  endpoint_id: string;
  type: string;
  payload: string;
  attempts: number;
  attempts_before: number;
  at: Date;
  url: string;
  secrets: string[];
}

export class WebhookOutbox {
  constructor(private readonly pool: Pool) {}

  /** Takes deliveries that are due; of several processes each gets others. */
  async claim({ limit, perEndpoint, leaseMs, busy }: ClaimOptions): Promise<ClaimedDelivery[]> {
    const { rows } = await this.pool.query<ClaimedRow>(
      prepared('claim-deliveries', [limit, perEndpoint, leaseMs, busy]),
    );
    return rows.map(({ endpoint_id: endpointId, attempts, attempts_before: before, ...row }) => ({
      ...row,
      endpointId,
      number: attempts,
      tried: attempts - before,
    }));
  }

  /** Stores the end of an attempt. Returns why the endpoint was disabled by it; null when it was not. */
  async settle(claim: ClaimedDelivery, settlement: Settlement, rule: GiveUpRule): Promise<string | null> {
    const { status, durationMs, error, response, next } = settlement;
    const state = next.kind === 'gone' ? 'failed' : next.kind;
    const delayMs = next.kind === 'retry' ? next.delayMs : 0;
    return inTransaction(this.pool, async (client) => {
      // The endpoint first, as everywhere that both are locked.
      const reason = await this.#count(client, claim.endpointId, next.kind, rule);
      await client.query(
        prepared('settle-delivery', [
          ...[claim.id, claim.number, claim.at, status, durationMs, error, response],
          ...[state, delayMs],
        ]),
      );
      if (reason !== null) await disableWebhook(client, claim.endpointId, reason);
      return reason;
    });
  }

  /** Gives back what was claimed and is not sent by this process; it is due at once. */
  async release(claim: ClaimedDelivery): Promise<void> {
    await this.pool.query(
      `UPDATE webhook_deliveries SET next_at = now(), started_at = NULL WHERE id = $1 AND state = 'pending' AND attempts = $2`,
      [claim.id, claim.number],
    );
  }

  /** Counts failures in a row. Returns why the endpoint is to be disabled, or null. */
  async #count(
    client: PoolClient,
    endpointId: string,
    kind: Settlement['next']['kind'],
    rule: GiveUpRule,
  ): Promise<string | null> {
    if (kind === 'delivered') {
      await client.query(
        'UPDATE webhook_endpoints SET failures = 0, failing_since = NULL WHERE id = $1 AND failures > 0',
        [endpointId],
      );
      return null;
    }
    const { rows } = await client.query<{ failures: number; hopeless: boolean }>(
      `UPDATE webhook_endpoints SET failures = failures + 1, failing_since = coalesce(failing_since, now())
       WHERE id = $1 AND disabled_at IS NULL
       RETURNING failures, failures >= $2 AND failing_since <= now() - $3::bigint * interval '1 ms' AS hopeless`,
      [endpointId, rule.failures, rule.forMs],
    );
    if (!rows[0]) return null;
    if (kind === 'gone') return 'the receiver answered 410: it wants no more messages';
    return rows[0].hopeless ? `${rows[0].failures} attempts failed in a row` : null;
  }
}

/** Deletes deliveries that ended long ago, some at a time, until none is left or the signal fires. Returns how many. */
export async function pruneDeliveries(pool: Pool, olderThanS: number, signal: AbortSignal): Promise<number> {
  const batch = 1_000;
  let gone = 0;
  while (!signal.aborted) {
    const { rowCount } = await pool.query(
      `DELETE FROM webhook_deliveries WHERE id IN (
         SELECT id FROM webhook_deliveries WHERE ended_at < now() - $1::bigint * interval '1 second' LIMIT $2)`,
      [olderThanS, batch],
    );
    gone += rowCount ?? 0;
    if ((rowCount ?? 0) < batch) break;
  }
  return gone;
}
