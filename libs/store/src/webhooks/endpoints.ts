/** Changes of endpoints and their secrets, and deliveries that a person asks for. Scoped by tenant: a foreign id is an unknown one. */
import type { CreateWebhook, UpdateWebhook } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '../database/transaction.js';
import { pingPayload } from './payload.js';

export interface WebhookRef {
  readonly tenantId: string;
  readonly id: string;
}

/** Signatures with an old secret, in hours, after it was replaced. */
const ROTATION_HOURS = 24;
/** Secrets that one message is signed with at most. */
const MAX_SECRETS = 10;
const UNIQUE_VIOLATION = '23505';
const BY_PERSON = 'disabled by a person';

/** Creates an endpoint; it gets what is committed from now on. Null when the tenant already has one with this address. */
export function createWebhook(
  pool: Pool,
  tenantId: string,
  webhook: CreateWebhook & { readonly secret: string },
): Promise<string | null> {
  const { url, description, events, subtasks, secret } = webhook;
  const id = newId('webhook');
  return inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `INSERT INTO webhook_endpoints (id, tenant_id, url, description, events, subtasks) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (tenant_id, url) DO NOTHING`,
      [id, tenantId, url, description, events, subtasks],
    );
    if (rowCount === 0) return null;
    await client.query('INSERT INTO webhook_secrets (endpoint_id, secret) VALUES ($1, $2)', [id, secret]);
    await client.query('INSERT INTO webhook_cursors (tenant_id) VALUES ($1) ON CONFLICT DO NOTHING', [
      tenantId,
    ]);
    return id;
  });
}

/** Changes what is given. `taken`: another endpoint of the tenant has that address. */
export async function updateWebhook(
  pool: Pool,
  { tenantId, id }: WebhookRef,
  change: UpdateWebhook,
): Promise<'updated' | 'not_found' | 'taken'> {
  const { url, description, events, subtasks, enabled } = change;
  const work = async (client: PoolClient): Promise<'updated' | 'not_found'> => {
    if (!(await lockEndpoint(client, { tenantId, id }))) return 'not_found';
    await client.query(
      `UPDATE webhook_endpoints SET url = coalesce($2, url), description = coalesce($3, description), events = coalesce($4, events),
         subtasks = coalesce($5, subtasks) WHERE id = $1`,
      [id, url ?? null, description ?? null, events ?? null, subtasks ?? null],
    );
    if (enabled === true) await enable(client, id);
    if (enabled === false) await disableWebhook(client, id, BY_PERSON);
    return 'updated';
  };
  try {
    return await inTransaction(pool, work);
  } catch (error) {
    // The index decides, and not a look before: two changes at the same time may want the same address.
    if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return 'taken';
    throw error;
  }
}

/** Deletes an endpoint with its deliveries. False when there is none. */
export async function deleteWebhook(pool: Pool, { tenantId, id }: WebhookRef): Promise<boolean> {
  const { rowCount } = await pool.query('DELETE FROM webhook_endpoints WHERE id = $1 AND tenant_id = $2', [
    id,
    tenantId,
  ]);
  return rowCount === 1;
}

/** Gives an endpoint a new secret; the previous ones sign for one more day. Null when there is no such endpoint. */
export function rotateWebhookSecret(pool: Pool, ref: WebhookRef, secret: string): Promise<Date | null> {
  return inTransaction(pool, async (client) => {
    if (!(await lockEndpoint(client, ref))) return null;
    const { rows } = await client.query<{ until: Date }>(
      `UPDATE webhook_secrets SET expires_at = now() + $2 * interval '1 hour'
         WHERE endpoint_id = $1 AND expires_at IS NULL RETURNING expires_at AS until`,
      [ref.id, ROTATION_HOURS],
    );
    await client.query('INSERT INTO webhook_secrets (endpoint_id, secret) VALUES ($1, $2)', [ref.id, secret]);
    await client.query(
      `DELETE FROM webhook_secrets WHERE endpoint_id = $1 AND (expires_at <= now() OR secret NOT IN (
           SELECT secret FROM webhook_secrets WHERE endpoint_id = $1 ORDER BY created_at DESC, secret LIMIT $2))`,
      [ref.id, MAX_SECRETS],
    );
    return rows[0]?.until ?? new Date();
  });
}

export type Queued =
  { readonly kind: 'queued'; readonly id: string } | { readonly kind: 'not_found' | 'disabled' };

/** Queues a message that only proves that messages arrive. */
export function pingWebhook(pool: Pool, ref: WebhookRef): Promise<Queued> {
  return queue(pool, ref, async (client) => {
    const id = newId('delivery');
    const { rows } = await client.query<{ now: Date }>('SELECT now()');
    await client.query(
      `INSERT INTO webhook_deliveries (id, endpoint_id, tenant_id, type, payload) VALUES ($1, $2, $3, 'ping', $4)`,
      [id, ref.id, ref.tenantId, pingPayload(ref.id, rows[0]?.now ?? new Date())],
    );
    return id;
  });
}

/** Sends a delivery again, with the same id, from the start of the schedule. A delivery that is being sent is not sent twice. */
export async function replayDelivery(
  pool: Pool,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<Queued> {
  const { rows } = await pool.query<{ endpoint_id: string }>(
    'SELECT endpoint_id FROM webhook_deliveries WHERE id = $1 AND tenant_id = $2',
    [id, tenantId],
  );
  if (!rows[0]) return { kind: 'not_found' };
  return queue(pool, { tenantId, id: rows[0].endpoint_id }, async (client) => {
    await client.query(
      `UPDATE webhook_deliveries SET state = 'pending', ended_at = NULL, attempts_before = attempts,
         next_at = CASE WHEN state = 'pending' AND started_at IS NOT NULL THEN next_at ELSE now() END
       WHERE id = $1`,
      [id],
    );
    return id;
  });
}

/** Sends nothing more to an endpoint, and gives up what is still to be sent. Within the caller's transaction. */
export async function disableWebhook(client: PoolClient, id: string, reason: string): Promise<void> {
  await client.query(
    'UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = $2 WHERE id = $1 AND disabled_at IS NULL',
    [id, reason],
  );
  // A statement of its own, after the lock: it sees what was queued up to then.
  await client.query(
    `UPDATE webhook_deliveries SET state = 'failed', ended_at = now(), started_at = NULL, last_error = 'the webhook was disabled'
     WHERE endpoint_id = $1 AND state = 'pending'`,
    [id],
  );
}

async function enable(client: PoolClient, id: string): Promise<void> {
  await client.query(
    `UPDATE webhook_endpoints SET disabled_at = NULL, disabled_reason = NULL, failures = 0, failing_since = NULL,
       from_tx = pg_snapshot_xmin(pg_current_snapshot())::text::bigint, from_snapshot = pg_current_snapshot()::text WHERE id = $1 AND disabled_at IS NOT NULL`,
    [id],
  );
}

async function lockEndpoint(client: PoolClient, { tenantId, id }: WebhookRef): Promise<boolean> {
  const { rowCount } = await client.query(
    'SELECT FROM webhook_endpoints WHERE id = $1 AND tenant_id = $2 FOR NO KEY UPDATE',
    [id, tenantId],
  );
  return rowCount === 1;
}

/** Queues something for an endpoint that is enabled, and stays so until the commit. */
function queue(
  pool: Pool,
  { tenantId, id }: WebhookRef,
  work: (client: PoolClient) => Promise<string>,
): Promise<Queued> {
  return inTransaction(pool, async (client): Promise<Queued> => {
    const { rows } = await client.query<{ disabled: boolean }>(
      `SELECT disabled_at IS NOT NULL AS disabled FROM webhook_endpoints WHERE id = $1 AND tenant_id = $2 FOR SHARE`,
      [id, tenantId],
    );
    if (!rows[0]) return { kind: 'not_found' };
    return rows[0].disabled ? { kind: 'disabled' } : { kind: 'queued', id: await work(client) };
  });
}

/** Secrets that sign messages, oldest first. Those of the moment given are among them: another one may have been made in it. */
export async function webhookSecretsSince(
  pool: Pool,
  moment: Date | null,
): Promise<readonly { readonly secret: string; readonly createdAt: Date }[]> {
  const { rows } = await pool.query<{ secret: string; createdAt: Date }>(
    `SELECT secret, created_at AS "createdAt" FROM webhook_secrets
     WHERE ($1::timestamptz IS NULL OR created_at >= $1) AND (expires_at IS NULL OR expires_at > now()) ORDER BY created_at`,
    [moment],
  );
  return rows;
}
