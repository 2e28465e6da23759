-- Processes that count as running although nobody looks after them: their worker is gone, or their task has long ended. $1 limit
SELECT p.id, p.task_id,
  CASE WHEN t.ended_at < now() - interval '30 seconds' THEN 'was ended with its task' ELSE 'was ended, because its worker was lost' END AS cause
FROM processes p JOIN tasks t ON t.id = p.task_id LEFT JOIN workers w ON w.id = p.worker_id
WHERE p.state = 'running' AND (
  t.ended_at < now() - interval '30 seconds' OR w.id IS NULL OR w.stopped_at IS NOT NULL OR w.seen_at < now() - interval '60 seconds')
LIMIT $1
