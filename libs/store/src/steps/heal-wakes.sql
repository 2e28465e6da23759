-- Queues tasks that still wait although their wait is over: their wake was lost. Never needed while the protocol holds.
-- A slice of the tasks that wait, by id. $1 after this id, $2 tasks
-- Result: the place where the next slice begins, null at the end; with it, one row for each task that was queued
WITH slice AS MATERIALIZED (
  SELECT id, wait_id FROM tasks WHERE state = 'waiting' AND id > $1 ORDER BY id LIMIT $2
), ended_wait AS MATERIALIZED (
  SELECT id, wait_id FROM slice WHERE (SELECT satisfied_at FROM waits WHERE id = slice.wait_id) IS NOT NULL
), lost AS MATERIALIZED (
  SELECT t.id FROM ended_wait CROSS JOIN LATERAL (
    SELECT id FROM tasks WHERE id = ended_wait.id AND state = 'waiting' AND wait_id = ended_wait.wait_id FOR NO KEY UPDATE SKIP LOCKED) t
), moved AS (
  UPDATE tasks t SET state = 'queued', wake = t.wake + 1, wait_reason = NULL, event_seq = t.event_seq + 1, updated_at = now()
  WHERE t.id = ANY (array(SELECT id FROM lost))
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq, root_id, tenant_id, 'task.status_changed', json_build_object('from', 'waiting', 'to', 'queued') FROM moved
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM moved
)
SELECT place.next, moved.id, root_id, tenant_id, event_seq, wake
FROM (SELECT CASE WHEN count(*) = $2 THEN array[max(id)] END AS next FROM slice) place LEFT JOIN moved ON true
