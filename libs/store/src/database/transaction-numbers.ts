/**
 * Events are ordered by the number of the transaction that wrote them. A server counts its own: rows that were restored into
 * another one may have numbers that it will only reach in years, and would come before all new ones.
 */
import type { Pool } from 'pg';

export interface TransactionNumbers {
  /** The largest stored number, and the next one of the server. */
  readonly stored: bigint;
  readonly next: bigint;
}

/** Reads both; the stored ones are from another server when they are not below `next`. */
export async function transactionNumbers(pool: Pick<Pool, 'query'>): Promise<TransactionNumbers> {
  const { rows } = await pool.query<{ stored: string; next: string }>(`
    SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next, coalesce(greatest(
      (SELECT max((SELECT tx FROM ui_events e WHERE e.tenant_id = t.id ORDER BY tx DESC, id DESC LIMIT 1)) FROM tenants t),
      (SELECT max(from_tx) - 1 FROM webhook_endpoints),
      (SELECT max(pg_snapshot_xmax(from_snapshot::pg_snapshot)::text::bigint) - 1 FROM webhook_endpoints),
      (SELECT max(tx) FROM webhook_cursors)
    ), 0)::text AS stored`);
  const [row] = rows;
  return { stored: BigInt(row?.stored ?? 0), next: BigInt(row?.next ?? 0) };
}

/** Makes stored numbers fit another server; people run it while nothing else uses the database. */
export const RENUMBER_TRANSACTIONS =
  'UPDATE ui_events SET tx = 0; UPDATE webhook_endpoints SET from_tx = 0, from_snapshot = pg_current_snapshot()::text; ' +
  'UPDATE webhook_cursors SET tx = 0, event_id = (SELECT coalesce(max(id), 0) FROM ui_events)';
