-- Ends the waits whose time has come, and queues those of their tasks that wait for them. A task that is paused finds its wait over when it goes
-- on; a wait that nothing is left of ends, too, so that no later look meets it again. What somebody else holds is left for the next look. $1 limit
WITH due AS MATERIALIZED (
  SELECT id, task_id FROM waits WHERE satisfied_at IS NULL AND due_at <= now() ORDER BY due_at LIMIT $1
), held AS MATERIALIZED (
  SELECT t.id, due.id AS wait_id, t.state = 'waiting' AND t.wait_id = due.id AS waits
  FROM due CROSS JOIN LATERAL (SELECT id, state, wait_id FROM tasks WHERE id = due.task_id FOR NO KEY UPDATE SKIP LOCKED) t
), satisfied AS (
  UPDATE waits SET satisfied_at = now() WHERE id = ANY (array(SELECT wait_id FROM held)) AND satisfied_at IS NULL
), ready AS (
  SELECT id FROM held WHERE waits
-- [part wake]
)
SELECT id, root_id, tenant_id, event_seq, wake FROM moved
