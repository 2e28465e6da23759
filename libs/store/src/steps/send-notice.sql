-- Puts something that the agent should know into the inbox of a locked task that has not ended. One that waits for the user's word goes on
-- for it, unless the user stopped it. $1 task id, $2 message id, $3 text
WITH was AS (
  SELECT id, state = 'waiting' AND wait_reason = 'message' AND interrupted_at IS NULL AS wakes FROM tasks WHERE id = $1
), heard AS (
  UPDATE tasks t SET inbox_pending = t.inbox_pending + 1, updated_at = now(),
    state = CASE WHEN was.wakes THEN 'queued' ELSE t.state END,
    wake = t.wake + was.wakes::int,
    wait_reason = CASE WHEN was.wakes THEN NULL ELSE t.wait_reason END,
    event_seq = t.event_seq + was.wakes::int
  FROM was WHERE t.id = was.id AND t.state NOT IN ('completed', 'failed', 'cancelled')
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq, was.wakes AS woken
), satisfied AS (
  UPDATE waits w SET satisfied_at = coalesce(w.satisfied_at, now())
  FROM tasks t JOIN heard ON heard.id = t.id WHERE heard.woken AND w.id = t.wait_id
), stored AS (
  INSERT INTO inbox_messages (id, task_id, text, source) SELECT $2, id, $3, 'notice' FROM heard
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq, root_id, tenant_id, 'task.status_changed', json_build_object('from', 'waiting', 'to', 'queued') FROM heard WHERE woken
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM heard WHERE woken
)
SELECT id, root_id, tenant_id, event_seq, CASE WHEN woken THEN wake END AS wake FROM heard
