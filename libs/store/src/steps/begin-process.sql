-- Writes down a process before it starts, while the lease is held. No row: it is lost, and nothing may start.
-- $1 id, $2 task id, $3 epoch, $4 call id, $5 worker id, $6 host, $7 pid space, $8 command, $9 background, $10 limit in ms
INSERT INTO processes (id, task_id, call_id, worker_id, host, pid_space, command, background, limit_ms)
SELECT $1, t.id, $4, $5, $6, $7, $8, $9, $10 FROM tasks t WHERE t.id = $2 AND t.epoch = $3 AND t.state = 'running'
RETURNING id
