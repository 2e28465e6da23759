-- Switches the autonomy of a locked task; what waits for a person's answer looks again. $1 task id, $2 autonomy, $3 message id, $4 what the agent is told
-- Result: nothing when the task has that autonomy already
WITH was AS (
  SELECT id, coalesce(autonomy, definition ->> 'autonomy') AS autonomy, state = 'waiting' AND wait_reason IN ('approval', 'answer') AS wakes
  FROM tasks WHERE id = $1
), moved AS (
  UPDATE tasks t SET
    autonomy = $2,
    inbox_pending = t.inbox_pending + 1,
    state = CASE WHEN was.wakes THEN 'queued' ELSE t.state END,
    wake = t.wake + was.wakes::int,
    wait_reason = CASE WHEN was.wakes THEN NULL ELSE t.wait_reason END,
    event_seq = t.event_seq + 1 + was.wakes::int,
    updated_at = now()
  FROM was WHERE t.id = was.id AND was.autonomy <> $2
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq, t.wait_id, was.autonomy AS before, t.state = 'queued' AND was.wakes AS woken
), left_wait AS (
  UPDATE waits SET satisfied_at = now() FROM moved WHERE moved.woken AND waits.id = moved.wait_id AND satisfied_at IS NULL
), heard AS (
  INSERT INTO inbox_messages (id, task_id, text, source) SELECT $3, id, $4, 'notice' FROM moved
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq - woken::int, root_id, tenant_id, 'autonomy.switched', json_build_object('from', before, 'to', $2::text, 'by', 'user') FROM moved
  UNION ALL
  SELECT id, event_seq, root_id, tenant_id, 'task.status_changed', json_build_object('from', 'waiting', 'to', 'queued') FROM moved WHERE woken
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM moved WHERE woken
)
SELECT id, root_id, tenant_id, event_seq, CASE WHEN woken THEN wake END AS wake FROM moved
