-- Makes a locked task leave what it does: one that runs is told so, one that waits is queued. A paused one only takes a rollback, and does
-- that when it goes on. $1 task id, $2 reason, $3 the turn under way is dropped
WITH was AS (
  SELECT id, state, wait_id FROM tasks WHERE id = $1
), moved AS (
  UPDATE tasks t SET
    interrupted_at = now(),
    rollback_requested = $3::boolean OR (t.rollback_requested AND t.interrupted_at IS NOT NULL),
    state = CASE WHEN t.state = 'waiting' THEN 'queued' ELSE t.state END,
    wake = t.wake + (t.state = 'waiting')::int,
    wait_reason = NULL,
    wait_id = NULL,
    event_seq = t.event_seq + 1 + (t.state = 'waiting')::int,
    updated_at = now()
  WHERE t.id = $1 AND (t.state IN ('queued', 'running', 'waiting') OR (t.state = 'paused' AND $3::boolean))
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq, t.state
), left_wait AS (
  UPDATE waits SET satisfied_at = now() FROM moved JOIN was USING (id) WHERE waits.id = was.wait_id AND satisfied_at IS NULL
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT moved.id, event_seq - (was.state = 'waiting')::int, root_id, tenant_id, 'task.interrupted', json_build_object('reason', $2::text)
  FROM moved JOIN was ON was.id = moved.id
  UNION ALL
  SELECT moved.id, event_seq, root_id, tenant_id, 'task.status_changed', json_build_object('from', 'waiting', 'to', 'queued')
  FROM moved JOIN was ON was.id = moved.id WHERE was.state = 'waiting'
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority)
  SELECT moved.id, wake, tenant_id, priority FROM moved JOIN was ON was.id = moved.id WHERE was.state = 'waiting'
)
SELECT moved.id, root_id, tenant_id, event_seq, CASE WHEN was.state = 'waiting' THEN wake END AS wake, moved.state = 'running' AS leave
FROM moved JOIN was ON was.id = moved.id
