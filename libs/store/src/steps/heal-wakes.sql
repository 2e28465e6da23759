-- Queues tasks that still wait although their wait is over: their wake was lost. Never needed while the protocol holds.
-- A slice of the tasks that wait, by id. $1 after this id, $2 tasks
-- Result: the place where the next slice begins, null at the end; with it, one row for each task that was queued
WITH slice AS MATERIALIZED (
  SELECT id, wait_id FROM tasks WHERE state = 'waiting' AND id > $1 ORDER BY id LIMIT $2
), ended_wait AS MATERIALIZED (
  SELECT id, wait_id FROM slice WHERE (SELECT satisfied_at FROM waits WHERE id = slice.wait_id) IS NOT NULL
), ready AS MATERIALIZED (
  SELECT t.id FROM ended_wait CROSS JOIN LATERAL (
    SELECT id FROM tasks WHERE id = ended_wait.id AND state = 'waiting' AND wait_id = ended_wait.wait_id FOR NO KEY UPDATE SKIP LOCKED) t
-- [part wake]
)
SELECT place.next, moved.id, root_id, tenant_id, event_seq, wake
FROM (SELECT CASE WHEN count(*) = $2 THEN array[max(id)] END AS next FROM slice) place LEFT JOIN moved ON true
