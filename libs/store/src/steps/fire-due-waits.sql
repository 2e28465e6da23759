-- Ends the waits whose time has come, and queues those of their tasks that wait for them. A task that is paused finds its wait over when it goes
-- on; a wait that nothing is left of ends, too, so that no later look meets it again. What somebody else holds is left for the next look. $1 limit
WITH due AS MATERIALIZED (
  SELECT id, task_id FROM waits WHERE satisfied_at IS NULL AND due_at <= now() ORDER BY due_at LIMIT $1
), held AS MATERIALIZED (
  SELECT t.id, due.id AS wait_id, t.state = 'waiting' AND t.wait_id = due.id AS waits
  FROM due CROSS JOIN LATERAL (SELECT id, state, wait_id FROM tasks WHERE id = due.task_id FOR NO KEY UPDATE SKIP LOCKED) t
), satisfied AS (
  UPDATE waits SET satisfied_at = now() WHERE id = ANY (array(SELECT wait_id FROM held)) AND satisfied_at IS NULL
), moved AS (
  UPDATE tasks t SET state = 'queued', wake = t.wake + 1, wait_reason = NULL, event_seq = t.event_seq + 1, updated_at = now()
  WHERE t.id = ANY (array(SELECT id FROM held WHERE waits))
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq, root_id, tenant_id, 'task.status_changed', json_build_object('from', 'waiting', 'to', 'queued') FROM moved
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM moved
)
SELECT id, root_id, tenant_id, event_seq, wake FROM moved
