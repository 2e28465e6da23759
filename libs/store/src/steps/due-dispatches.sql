-- Due wakes that were not announced, or were announced so long ago without a claim that the queue may have lost them.
-- $1 unclaimed for at least this many ms, $2 limit
SELECT task_id, wake, announces, announced_at IS NULL AS fresh,
  extract(epoch FROM now() - greatest(run_at, created_at)) * 1000 AS overdue_ms
FROM dispatches
WHERE run_at <= now() AND (announced_at IS NULL OR announced_at < now() - $1::int * interval '1 millisecond')
ORDER BY run_at - priority * interval '1 second' LIMIT $2
