-- Wakes whose time is still to come, those that are due first: waits that end by themselves, and tasks that may not begin yet.
-- $1 at least this many ms away, $2 limit
(SELECT t.id AS task_id, t.wake, extract(epoch FROM w.due_at - now()) * 1000 AS due_in_ms
 FROM waits w JOIN tasks t ON t.id = w.task_id AND t.wait_id = w.id
 WHERE w.satisfied_at IS NULL AND w.due_at > now() + $1::int * interval '1 millisecond' AND t.state = 'waiting'
 ORDER BY w.due_at LIMIT $2)
UNION ALL
(SELECT task_id, wake, extract(epoch FROM run_at - now()) * 1000 AS due_in_ms
 FROM dispatches
 WHERE announced_at IS NULL AND run_at > now() + $1::int * interval '1 millisecond'
 ORDER BY run_at LIMIT $2)
ORDER BY due_in_ms LIMIT $2
