-- Gives a dispatch row to queued tasks that have none for their wake. Never needed while the protocol holds.
-- A slice of the queued tasks, by id. $1 after this id, $2 tasks
-- Result: the place where the next slice begins, null at the end; with it, one row for each task that was given one
WITH slice AS MATERIALIZED (
  SELECT id, wake, tenant_id, priority, run_at, updated_at FROM tasks WHERE state = 'queued' AND id > $1 ORDER BY id LIMIT $2
), given AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority, run_at)
  SELECT id, wake, tenant_id, priority, coalesce(run_at, now()) FROM slice
  WHERE updated_at < now() - interval '5 seconds'
    AND (SELECT d.wake FROM dispatches d WHERE d.task_id = slice.id AND d.wake = slice.wake) IS NULL
  ON CONFLICT DO NOTHING
  RETURNING task_id
)
SELECT place.next, given.task_id AS id
FROM (SELECT CASE WHEN count(*) = $2 THEN array[max(id)] END AS next FROM slice) place LEFT JOIN given ON true
