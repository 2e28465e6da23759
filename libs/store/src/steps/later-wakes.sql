-- Wakes whose time is still to come, those that are due first: waits that end by themselves, and tasks that may not begin yet.
-- $1 at least this many ms away, $2 limit
(SELECT t.id AS "taskId", t.wake, (extract(epoch FROM w.due_at - now()) * 1000)::float8 AS "dueInMs"
 FROM (
   SELECT id, task_id, due_at FROM waits
   WHERE satisfied_at IS NULL AND due_at > now() + $1::int * interval '1 millisecond' ORDER BY due_at LIMIT $2) w
 CROSS JOIN LATERAL (SELECT id, wake FROM tasks WHERE id = w.task_id AND wait_id = w.id AND state = 'waiting' OFFSET 0) t)
UNION ALL
(SELECT task_id, wake, (extract(epoch FROM run_at - now()) * 1000)::float8
 FROM dispatches
 WHERE announced_at IS NULL AND run_at > now() + $1::int * interval '1 millisecond'
 -- Both columns of the index, or all of them are sorted: that the first is null tells the planner nothing about their order.
 ORDER BY announced_at, run_at LIMIT $2)
ORDER BY "dueInMs" LIMIT $2
