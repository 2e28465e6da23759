-- Queues waiting tasks whose wait is over: its time has come, or it was satisfied and the wake was lost. $1 limit
WITH due AS (
  SELECT t.id, w.id AS wait_id, w.satisfied_at IS NOT NULL AS lost
  FROM tasks t JOIN waits w ON w.id = t.wait_id
  WHERE t.state = 'waiting' AND (w.due_at <= now() OR w.satisfied_at IS NOT NULL)
  ORDER BY w.due_at LIMIT $1 FOR NO KEY UPDATE OF t SKIP LOCKED
), satisfied AS (
  UPDATE waits SET satisfied_at = coalesce(satisfied_at, now()) FROM due WHERE waits.id = due.wait_id
), moved AS (
  UPDATE tasks t SET state = 'queued', wake = t.wake + 1, wait_reason = NULL, event_seq = t.event_seq + 1, updated_at = now()
  FROM due WHERE t.id = due.id
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq, due.lost
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq, root_id, tenant_id, 'task.status_changed', json_build_object('from', 'waiting', 'to', 'queued') FROM moved
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM moved
)
SELECT id, root_id, tenant_id, event_seq, wake, lost FROM moved
