/** What holds trees together, what people were asked and told, and what belongs to no task. */
import {
  ASK_KIND,
  ASKS,
  CALL_NANO_USD,
  EVENTS_A_TASK,
  FAMILY,
  idOf,
  IS_ROOT,
  MADE,
  REASON,
  ROOT,
  SAID,
  STATE,
  TASK,
  TURNS,
  WAITS,
  WEBHOOK,
} from './names.js';

const TASKS = 'generate_series($1::int, $2::int) g';
const TREE_NANO_USD = CALL_NANO_USD * TURNS * FAMILY;
const SATISFIED = `CASE WHEN NOT (${WAITS}) THEN ${MADE} + interval '9 minutes' END`;
/** Fits each kind that is used here. */
const PAYLOAD = `'${JSON.stringify({
  ...{ tool: 'act', arguments: {}, reason: 'It acts.', rule: 'rule', questions: [] },
  ...{ turn: 0, limitUsd: '1', spentUsd: '1', neededUsd: '1' },
})}'::json`;
const ASK = idOf('g', 'ask');
const ASKED = `${ASK}, ${TASK}, ${ROOT}, 'default', 'Act ' || g, ${PAYLOAD}, ${MADE}`;
const ANSWERED = `g % ${FAMILY} IN (1, 2, 3)`;
const CLOSED = `${MADE} + interval '5 minutes'`;

export const TREE_ROWS: readonly string[] = [
  `INSERT INTO waits (id, task_id, mode, created_at, satisfied_at, reason, open_edges, due_at, interaction_ids)
   SELECT 'wait_' || g, ${TASK}, 'all', ${MADE}, ${SATISFIED}, ${REASON}, CASE WHEN ${WAITS} AND ${IS_ROOT} THEN ${FAMILY - 1} ELSE 0 END,
     CASE WHEN ${REASON} = 'backoff' THEN now() + interval '30 days' END, CASE WHEN ${ASKS} THEN ARRAY[${ASK}] ELSE '{}' END
   FROM ${TASKS} WHERE ${WAITS} OR ${IS_ROOT}`,
  `INSERT INTO wait_edges (wait_id, child_id, closed_at) SELECT 'wait_' || (g - g % ${FAMILY}), ${TASK}, ${SATISFIED} FROM ${TASKS} WHERE NOT (${IS_ROOT})`,
  `INSERT INTO interactions (id, task_id, root_id, tenant_id, title, payload, created_at, kind) SELECT ${ASKED}, ${ASK_KIND}
   FROM ${TASKS} WHERE ${WAITS} AND ${ASKS}`,
  `INSERT INTO interactions (id, task_id, root_id, tenant_id, title, payload, created_at, kind, answer, answered_at, answered_by, withdrawn_at)
   SELECT ${ASKED}, 'approval', CASE WHEN ${ANSWERED} THEN '{"decision":"approve"}'::json END, CASE WHEN ${ANSWERED} THEN ${CLOSED} END,
     CASE WHEN g % ${FAMILY} = 3 THEN 'expiry' WHEN ${ANSWERED} THEN 'key' END, CASE WHEN NOT (${ANSWERED}) THEN ${CLOSED} END
   FROM ${TASKS} WHERE NOT (${WAITS}) AND g % ${FAMILY} BETWEEN 1 AND 4`,
  `INSERT INTO budget_accounts (root_id, limit_nano_usd, spent_nano_usd) SELECT ${TASK}, ${TREE_NANO_USD}, ${TREE_NANO_USD} FROM ${TASKS} WHERE ${IS_ROOT}`,
  `INSERT INTO inbox_messages (id, task_id, text, created_at, delivered_at) SELECT ${idOf('g', 'inbox')}, ${TASK}, ${SAID}, ${MADE}, ${MADE}
   FROM ${TASKS} WHERE ${IS_ROOT}`,
  `INSERT INTO webhook_deliveries (id, endpoint_id, tenant_id, type, task_id, seq, payload, state, attempts, created_at, ended_at, next_at)
   SELECT ${idOf('g', 'delivery')}, '${WEBHOOK}', 'default', 'task.' || ${STATE}, ${TASK}, ${EVENTS_A_TASK}, '{}', 'delivered', 1, ${MADE}, ${MADE}, ${MADE}
   FROM ${TASKS} WHERE ${IS_ROOT}`,
  `INSERT INTO idempotency_keys (tenant_id, key, request_hash, status, response, location)
   SELECT 'default', 'key ' || g, md5(g::text), 201, json_build_object('rootId', ${TASK}), '/v1/tasks/' || ${TASK} FROM ${TASKS} WHERE ${IS_ROOT}`,
  `INSERT INTO workspaces (id, root_id, home, epoch, disk_bytes, measured_at) SELECT ${TASK}, ${TASK}, '/elsewhere', 1, 100000, ${MADE} FROM ${TASKS} WHERE ${IS_ROOT}`,
  `INSERT INTO checkpoints (id, task_id, root_id, tenant_id, workspace_id, reason, turn, message_seq, event_seq, commit, files, left_out, bytes, created_at)
   SELECT ${idOf('g', 'ckpt')}, ${TASK}, ${ROOT}, 'default', ${ROOT}, 'turn', 1, 3, 9, md5(g::text), 1, '[]', 1000, ${MADE} FROM ${TASKS}`,
  `INSERT INTO checkpoint_packs (line, id, holds, bytes, created_at) SELECT ${TASK}, 'pack_' || g, ARRAY[md5(g::text)], 1000, ${MADE} FROM ${TASKS} WHERE ${IS_ROOT}`,
  `INSERT INTO processes (id, task_id, call_id, worker_id, host, pid_space, command, state, exit_code, limit_ms, started_at, ended_at)
   SELECT ${idOf('g', 'proc')}, ${TASK}, 'call_' || g || '_1', 'worker_gone', 'h', 'p', 'make', 'exited', 0, 1000, ${MADE}, ${MADE}
   FROM ${TASKS} WHERE g % 5 = 1`,
];

const BULK = idOf('g', 'bulk');
export const ROWS_AROUND: readonly string[] = [
  `INSERT INTO tenants (id, name) SELECT 'tenant_' || g, 'T' FROM generate_series(1, 50) g`,
  `INSERT INTO workers (id, host, pid, slots, version, seen_at, stopped_at)
   SELECT 'worker_' || g, 'h', g, 4, '0', now() - g * interval '1 hour', now() - g * interval '1 hour' FROM generate_series(2, 200) g`,
  `INSERT INTO queue_samples (at, tenant_id, ready, later, running, people, waiting, paused, entered, ended, waits, wait_ms, runs, run_ms, slots)
   SELECT now() - g * interval '1 minute', t, 0, 0, 0, 9000, 7000, 0, 2, 2, 100, '{1,2,3}', 100, '{1,2,3}', 8
   FROM generate_series(1, 10000) g, unnest(ARRAY['', 'default']) t`,
  `INSERT INTO webhook_endpoints (id, tenant_id, url, events, disabled_at) VALUES ('${WEBHOOK}', 'default', 'https://example.com/', '{}', now())`,
  `INSERT INTO bulk_actions (id, tenant_id, action, created_by, created_at, ended_at)
   SELECT ${BULK}, 'default', '{"verb":"archive"}', 'key', now(), now() FROM generate_series(1, 100) g`,
  `INSERT INTO bulk_items (bulk_id, position, task_id, state) SELECT ${BULK}, p, 'task_' || p, 'done' FROM generate_series(1, 100) g, generate_series(1, 200) p`,
  `INSERT INTO repair_hours (kind, hour, count) SELECT 'lost_wake', date_trunc('hour', now()) - g * interval '1 hour', 0 FROM generate_series(1, 100) g`,
  // As if the gateway had read all of it.
  `INSERT INTO search_cursors (tenant_id, tx, event_id) SELECT 'default', tx, id FROM ui_events WHERE tenant_id = 'default' ORDER BY tx DESC, id DESC LIMIT 1`,
];
