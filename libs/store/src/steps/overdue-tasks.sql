-- Tasks whose deadline has passed. What has begun is told to sum up first: `interrupt`. What never began, is paused, or did not come to
-- sum up in time, just ends. $1 time for summing up in ms, $2 limit
SELECT id, started_at IS NOT NULL AND state IN ('running', 'waiting') AS interrupt FROM tasks
WHERE deadline_at <= now() AND state IN ('queued', 'running', 'waiting', 'paused') AND (
  (state = 'running' AND phase = 'work' AND interrupted_at IS NULL)
  OR state IN ('waiting', 'paused')
  OR (state = 'queued' AND (started_at IS NULL OR deadline_at < now() - $1::bigint * interval '1 millisecond')))
ORDER BY deadline_at LIMIT $2
