-- Marks what other workers left running in a task as lost, for the holder of its lease. $1 task id, $2 epoch, $3 worker id
UPDATE processes p SET state = 'lost', ended_at = now(), cause = CASE
    WHEN EXISTS (SELECT FROM workers w WHERE w.id = p.worker_id AND w.stopped_at IS NULL AND w.seen_at > now() - interval '15 seconds')
    THEN 'was ended, because the task went on with another worker' ELSE 'was ended, because its worker was lost' END
FROM tasks t
WHERE t.id = $1 AND t.epoch = $2 AND t.state = 'running' AND p.task_id = t.id AND p.state = 'running' AND p.worker_id <> $3
RETURNING p.id, p.pid_space, p.anchor_pid, p.anchor_ticks::text, p.command, p.background, p.cause
