/** Straight into the record: as tasks make it, it would take an hour. */

/** Adds events to a task that has ended. */
async function writeEvents(client, id, events) {
  const { rows } = await client.query('SELECT root_id, tenant_id, event_seq FROM tasks WHERE id = $1', [id]);
  const [{ root_id: rootId, tenant_id: tenantId, event_seq: seq }] = rows;
  await client.query(
    `INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
     SELECT $1, $2::int + n, $3, $4, event->>'type', event->'data'
     FROM jsonb_array_elements($5::jsonb) WITH ORDINALITY AS given (event, n)`,
    [id, seq, rootId, tenantId, JSON.stringify(events)],
  );
  await client.query('UPDATE tasks SET event_seq = $2 WHERE id = $1', [id, seq + events.length]);
}

/** What a call leaves behind: what it was called with, and the beginning of what it gave back. */
export function callEvents(at, { tool = 'run_command', args, preview }) {
  const call = { callId: `call_${at}`, tool, turn: at };
  return [
    { type: 'tool.started', data: { ...call, arguments: args } },
    { type: 'tool.finished', data: { ...call, state: 'done', durationMs: 900, preview } },
  ];
}

/** A task that has ended, with these events more. */
export async function taskWith(stack, title, events) {
  const { id } = await stack.submit({ prompt: 'Say hello', title });
  await stack.becomes(id, 'completed');
  await stack.sql((client) => writeEvents(client, id, events));
  return id;
}
