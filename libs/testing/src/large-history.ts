/**
 * A database after a long life: tasks that ended, tasks that wait for what does not come, a backlog, and the rows around them. Nothing of it is
 * due. `makeDue` makes a little of it due.
 */
import type { createPool } from '@bullpen/store';

type Pool = ReturnType<typeof createPool>;

const NAMES = [
  'ended',
  'child',
  'parent',
  'asks',
  'later',
  'provider',
  'money',
  'cancelled',
  'paused',
  'scheduled',
  'again',
  'backlog',
] as const;
type Name = (typeof NAMES)[number];

/** Tasks of each kind; there are as many of every kind that a repeated statement might walk through. */
export const MANY = 5_000;

/** A kind of tasks, one for each number from 1 to MANY. */
interface Kind {
  readonly name: Name;
  readonly state: string;
  readonly waitReason?: string;
  readonly tenant?: string;
  /** Columns on top, as SQL over `g`. */
  readonly more?: Readonly<Record<string, string>>;
}

const idOf = (name: Name) => `'task_' || lpad((${1 + NAMES.indexOf(name)} * 1000000 + g)::text, 26, '0')`;
const LONG_AGO = `now() - interval '30 days' - g * interval '10 seconds'`;

const KINDS: readonly Kind[] = [
  {
    name: 'ended',
    state: 'completed',
    more: { ended_at: LONG_AGO, deadline_at: LONG_AGO, stop_cause: `'goal'` },
  },
  {
    name: 'child',
    state: 'failed',
    more: {
      parent_id: idOf('ended'),
      root_id: idOf('ended'),
      depth: '1',
      ended_at: LONG_AGO,
      deadline_at: LONG_AGO,
      stop_cause: `'deadline'`,
      failure: `'{"cause":"deadline","code":"deadline","message":"Late."}'`,
    },
  },
  { name: 'parent', state: 'waiting', waitReason: 'children' },
  {
    name: 'asks',
    state: 'waiting',
    waitReason: 'approval',
    more: { parent_id: idOf('parent'), root_id: idOf('parent'), depth: '1' },
  },
  {
    name: 'later',
    state: 'waiting',
    waitReason: 'backoff',
    more: { deadline_at: `now() + interval '1 day'` },
  },
  { name: 'provider', state: 'waiting', waitReason: 'provider' },
  { name: 'money', state: 'waiting', waitReason: 'budget' },
  { name: 'cancelled', state: 'cancelled', more: { ended_at: LONG_AGO, stop_cause: `'cancelled'` } },
  { name: 'paused', state: 'paused' },
  { name: 'scheduled', state: 'queued', tenant: 'busy', more: { run_at: `now() + interval '1 day'` } },
  { name: 'again', state: 'queued', tenant: 'busy', more: { wake: '3', run_at: `now() + interval '1 day'` } },
  { name: 'backlog', state: 'queued', tenant: 'busy' },
];

/** Takes some seconds. */
export async function makeLargeHistory(pool: Pool): Promise<void> {
  await pool.query(
    `INSERT INTO tenants (id, name, max_running) VALUES ('default', 'D', NULL), ('busy', 'B', 0) ON CONFLICT DO NOTHING`,
  );
  await pool.query(
    `INSERT INTO tenants (id, name) SELECT 'tenant_' || g, 'T' FROM generate_series(1, ${MANY}) g`,
  );
  for (const kind of KINDS) await makeTasks(pool, kind);
  for (const statement of ROUND_ABOUT) await pool.query(statement);
  await pool.query('ANALYZE');
}

async function makeTasks(pool: Pool, kind: Kind): Promise<void> {
  const columns: Record<string, string> = {
    id: idOf(kind.name),
    root_id: idOf(kind.name),
    tenant_id: `'${kind.tenant ?? 'default'}'`,
    state: `'${kind.state}'::task_state`,
    wait_reason: kind.waitReason === undefined ? 'NULL' : `'${kind.waitReason}'::wait_reason`,
    wait_id: `'wait_${kind.name}_' || g`,
    title: `'T'`,
    agent: `'general'`,
    model: `'claude'`,
    definition: `json_build_object('name', 'general', 'pad', repeat('x', 900))`,
    prompt: `repeat('y', 300)`,
    workspace: `'{"kind":"empty"}'`,
    event_seq: '1',
    created_at: LONG_AGO,
    updated_at: LONG_AGO,
    ...kind.more,
  };
  await pool.query(
    `INSERT INTO tasks (${Object.keys(columns).join(', ')})
     SELECT ${Object.values(columns).join(', ')} FROM generate_series(1, ${MANY}) g`,
  );
}

const waits = (name: Name, columns: Readonly<Record<string, string>>) =>
  `INSERT INTO waits (id, task_id, mode, created_at, reason, open_edges, ${Object.keys(columns).join(', ')})
   SELECT 'wait_${name}_' || g, ${idOf(name)}, 'all', ${LONG_AGO}, coalesce(t.wait_reason, 'children'), 0, ${Object.values(columns).join(', ')}
   FROM generate_series(1, ${MANY}) g JOIN tasks t ON t.id = ${idOf(name)}`;
const LATER = `now() + interval '1 hour' + g * interval '1 second'`;

/** Fits each kind that is used here. */
const PAYLOAD = JSON.stringify({
  ...{ tool: 'act', arguments: {}, reason: 'It acts.', rule: 'rule' },
  ...{ turn: 0, limitUsd: '1', spentUsd: '1', neededUsd: '1' },
});

const interactions = (name: Name, kind: string, columns: Readonly<Record<string, string>>) =>
  `INSERT INTO interactions (id, task_id, root_id, tenant_id, kind, payload, ${Object.keys(columns).join(', ')})
   SELECT 'int_${name}_' || g, ${idOf(name)}, t.root_id, 'default', '${kind}', '${PAYLOAD}', ${Object.values(columns).join(', ')}
   FROM generate_series(1, ${MANY}) g JOIN tasks t ON t.id = ${idOf(name)}`;

const ROUND_ABOUT: readonly string[] = [
  waits('ended', { satisfied_at: LONG_AGO, due_at: LONG_AGO }),
  waits('parent', { due_at: 'NULL' }),
  waits('asks', { interaction_ids: `array['int_asks_' || g]` }),
  waits('later', { due_at: LATER }),
  waits('provider', { provider_key: `'parked'` }),
  waits('money', { interaction_ids: `array['int_money_' || g]` }),
  // Installations of before have such waits, which nothing closed.
  waits('cancelled', { due_at: LONG_AGO }),
  waits('paused', { due_at: LONG_AGO }),
  `UPDATE waits SET open_edges = 1 WHERE id LIKE 'wait\\_parent\\_%'`,
  `INSERT INTO wait_edges (wait_id, child_id, closed_at)
   SELECT 'wait_ended_' || g, ${idOf('child')}, ${LONG_AGO} FROM generate_series(1, ${MANY}) g
   UNION ALL SELECT 'wait_parent_' || g, ${idOf('asks')}, NULL FROM generate_series(1, ${MANY}) g`,
  interactions('ended', 'approval', {
    expires_at: LONG_AGO,
    expiry_answer: `'{}'`,
    answered_at: LONG_AGO,
    answered_by: `'key'`,
  }),
  interactions('asks', 'approval', {
    expires_at: LATER,
    expiry_answer: `'{"decision":"deny"}'`,
  }),
  interactions('money', 'budget', { expires_at: 'NULL' }),
  `INSERT INTO dispatches (task_id, wake, tenant_id, run_at)
   SELECT id, wake, tenant_id, coalesce(run_at, created_at) FROM tasks WHERE state = 'queued'`,
  `INSERT INTO budget_accounts (root_id, limit_nano_usd) SELECT id, 1000000000 FROM tasks WHERE parent_id IS NULL`,
  `INSERT INTO ui_events (task_id, seq, tx, root_id, tenant_id, type, data)
   SELECT id, 1, 100, root_id, tenant_id, 'task.created', '{}' FROM tasks`,
  `INSERT INTO usage_records (model_call_id, task_id, root_id, tenant_id, agent, model, input_tokens, output_tokens, cache_read_tokens,
     cache_write_5m_tokens, cache_write_1h_tokens, cost_nano_usd)
   SELECT 'mcall_' || id, id, root_id, tenant_id, agent, model, 0, 0, 0, 0, 0, 0 FROM tasks`,
  `INSERT INTO workers (id, host, pid, slots, version, seen_at, stopped_at, provider_key)
   SELECT 'worker_' || g, 'h', g, 4, '0', ${LONG_AGO}, CASE WHEN g % 2 = 0 THEN ${LONG_AGO} END, 'parked' FROM generate_series(1, ${MANY}) g`,
  // It lives for as long as the spec takes.
  `INSERT INTO workers (id, host, pid, slots, version, seen_at, provider_key)
   VALUES ('worker_live', 'h', 1, 8, '0', now() + interval '1 day', 'parked')`,
  `INSERT INTO provider_keys (id, endpoint, parked_at, parked_class) VALUES ('parked', 'e', now(), 'billing')`,
  `INSERT INTO idempotency_keys (tenant_id, key, request_hash, status, response)
   SELECT 'default', 'key ' || g, 'h', 201, json_build_object('taskId', ${idOf('later')}) FROM generate_series(1, ${MANY}) g`,
  `INSERT INTO webhook_endpoints (id, tenant_id, url, events, disabled_at)
   SELECT 'hook_' || g, 'tenant_' || g, 'https://example.com', '{}', CASE WHEN g > 5 THEN now() END FROM generate_series(1, ${MANY}) g`,
  `INSERT INTO webhook_cursors (tenant_id, tx) SELECT 'tenant_' || g, 100 FROM generate_series(1, ${MANY}) g`,
  `INSERT INTO webhook_deliveries (id, endpoint_id, tenant_id, type, payload, state, ended_at, next_at)
   SELECT 'delivery_' || g, 'hook_' || (1 + g % 5), 'tenant_' || (1 + g % 5), 'task.completed', '{}', 'delivered', now(), ${LONG_AGO}
   FROM generate_series(1, ${MANY}) g`,
];

/** A few of each kind: what the repeated statements are there for. */
export async function makeDue(pool: Pool, few: number): Promise<void> {
  const some = (name: Name) => `IN (SELECT ${idOf(name)} FROM generate_series(1, ${few}) g)`;
  for (const statement of [
    `UPDATE waits SET due_at = now() - interval '1 second' WHERE task_id ${some('later')}`,
    `UPDATE interactions SET expires_at = now() - interval '1 second' WHERE task_id ${some('asks')}`,
    `UPDATE tasks SET deadline_at = now() - interval '1 second' WHERE id ${some('paused')}`,
    `UPDATE budget_accounts SET limit_nano_usd = NULL WHERE root_id ${some('money')}`,
    `DELETE FROM dispatches WHERE task_id ${some('again')}`,
    `UPDATE tasks SET state = 'running', worker_id = 'worker_1', lease_expires_at = now() - interval '1 second' WHERE id ${some('backlog')}`,
    `UPDATE tasks SET ended_at = now() - interval '20 years' WHERE id ${some('ended')}`,
    `INSERT INTO ui_events (task_id, seq, tx, root_id, tenant_id, type, data)
     SELECT ${idOf('money')}, 2, 101, ${idOf('money')}, 'tenant_1', 'task.status_changed', '{"from":"running","to":"waiting"}'
     FROM generate_series(1, ${few}) g`,
    `UPDATE dispatches SET announced_at = now() - interval '1 minute', announces = 1 WHERE task_id ${some('scheduled')}`,
  ])
    await pool.query(statement);
}
