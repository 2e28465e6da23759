/**
 * From events to deliveries. None of this delays a step: the events are already there, and the worker that has the reconciler's
 * role reads on from a cursor. Deliveries and the new cursor are written in one transaction, so that no crash loses an event or
 * duplicates it.
 */
import { usdOf, type WebhookEventType } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import type { Pool, PoolClient } from 'pg';
import { pgJson, prepared } from '../steps/sql.js';
import { inTransaction } from '../database/transaction.js';
import { payloadOf, PREVIEW_CHARS, webhookTypeOf, type EventTask } from './payload.js';

interface EventRow {
  tenant_id: string;
  tx: bigint;
  id: bigint;
  task_id: string;
  seq: number;
  at: Date;
  type: string;
  data: unknown;
  told: boolean;
  last: boolean;
  size: bigint;
}

interface Endpoint {
  readonly id: string;
  readonly tenant_id: string;
  readonly events: readonly string[];
  readonly subtasks: boolean;
  readonly from_snapshot: string;
}

/** An event with what it is called outside. */
type Told = EventRow & { readonly as: WebhookEventType };

/** Events of one tenant that one transaction looks at. */
const BATCH = 500;

/** Looks through all events that are new, and gives how many deliveries that made. Safe to run in several processes at once. */
export async function tailWebhooks(pool: Pool, batch = BATCH): Promise<number> {
  let made = 0;
  for (;;) {
    const pass = await inTransaction(pool, (client) => onePass(client, batch));
    made += pass.made;
    if (!pass.more) return made;
  }
}

async function onePass(client: PoolClient, batch: number): Promise<{ made: number; more: boolean }> {
  const { rows } = await client.query<EventRow>(prepared('webhook-events', [batch]));
  const last = rows.filter((row) => row.last);
  if (last.length === 0) return { made: 0, more: false };
  const told = rows.flatMap((row): Told[] => {
    const as = row.told ? webhookTypeOf(row) : null;
    return as === null ? [] : [{ ...row, as }];
  });
  const made = told.length > 0 ? await makeDeliveries(client, told) : 0;
  await client.query(
    `UPDATE webhook_cursors c SET tx = p.tx, event_id = p.id
     FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS p(tenant_id, tx, id) WHERE c.tenant_id = p.tenant_id`,
    [last.map((row) => row.tenant_id), last.map(({ tx }) => String(tx)), last.map(({ id }) => String(id))],
  );
  return { made, more: last.some(({ size }) => size === BigInt(batch)) };
}

async function makeDeliveries(client: PoolClient, events: readonly Told[]): Promise<number> {
  // Read after the events: an endpoint that was made before one of them was committed is seen here. The lock keeps others from
  // disabling an endpoint meanwhile, so that nothing is queued for a disabled one.
  const { rows: endpoints } = await client.query<Endpoint>(
    `SELECT id, tenant_id, events, subtasks, from_snapshot FROM webhook_endpoints
     WHERE tenant_id = ANY ($1) AND disabled_at IS NULL ORDER BY id FOR SHARE`,
    [[...new Set(events.map((event) => event.tenant_id))]],
  );
  const tasks = await tasksOf(client, events);
  const rows = events.flatMap((event) => {
    const task = tasks.get(event.task_id);
    if (!task) return [];
    const source = { ...event, taskId: event.task_id };
    return endpoints
      .filter((endpoint) => wants(endpoint, event, task))
      .map(({ id, tenant_id }) => ({
        ...{ id: newId('delivery'), endpoint_id: id, tenant_id, type: event.as },
        ...{ task_id: event.task_id, seq: event.seq, payload: payloadOf(event.as, source, task) },
      }));
  });
  if (rows.length === 0) return 0;
  const { rowCount } = await client.query(
    `INSERT INTO webhook_deliveries (id, endpoint_id, tenant_id, type, task_id, seq, payload)
     SELECT * FROM json_to_recordset($1::json)
       AS d(id text, endpoint_id text, tenant_id text, type text, task_id text, seq int, payload text)
     ON CONFLICT (endpoint_id, task_id, seq, type) DO NOTHING`,
    [pgJson(rows)],
  );
  return rowCount ?? 0;
}

/** What waits for a person does so wherever in a tree it is: only the states of tasks are kept to roots. */
function wants(endpoint: Endpoint, event: Told, task: EventTask): boolean {
  const { tenant_id, events, subtasks, from_snapshot } = endpoint;
  if (tenant_id !== event.tenant_id || !events.includes(event.as)) return false;
  if (isVisibleIn(from_snapshot, event.tx)) return false;
  return subtasks || task.parentId === null || event.as.startsWith('interaction.');
}

/** Whether a transaction had been committed when the snapshot was taken; snapshots read `xmin:xmax:xid,xid`, as Postgres writes them. */
function isVisibleIn(snapshot: string, tx: bigint): boolean {
  const [xmin = '0', xmax = '0', running = ''] = snapshot.split(':');
  if (tx < BigInt(xmin)) return true;
  return tx < BigInt(xmax) && !running.split(',').includes(tx.toString());
}

async function tasksOf(client: PoolClient, events: readonly Told[]): Promise<Map<string, EventTask>> {
  const { rows } = await client.query<Omit<EventTask, 'costUsd'> & { cost: bigint }>(
    `SELECT id, root_id AS "rootId", parent_id AS "parentId", title, agent, state, cost_nano_usd AS cost,
       left(output #>> '{}', $2::int) AS preview
     FROM tasks WHERE id = ANY ($1)`,
    [[...new Set(events.map((event) => event.task_id))], PREVIEW_CHARS],
  );
  return new Map(rows.map(({ cost, ...task }) => [task.id, { ...task, costUsd: usdOf(cost) }]));
}
