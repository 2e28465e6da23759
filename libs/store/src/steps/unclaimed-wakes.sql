-- Wakes that were announced so long ago without a claim that the queue may have lost them, oldest first.
-- $1 unclaimed for at least this many ms, $2 limit
SELECT task_id AS "taskId", wake, announces AS tries FROM dispatches
WHERE announced_at < now() - $1::int * interval '1 millisecond'
ORDER BY announced_at LIMIT $2
