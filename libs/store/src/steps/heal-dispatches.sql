-- Gives a dispatch row to queued tasks that have none for their wake. Never needed while the protocol holds. $1 limit
INSERT INTO dispatches (task_id, wake, tenant_id, priority, run_at)
SELECT t.id, t.wake, t.tenant_id, t.priority, coalesce(t.run_at, now()) FROM tasks t
WHERE t.state = 'queued' AND t.updated_at < now() - interval '5 seconds'
  AND NOT EXISTS (SELECT FROM dispatches d WHERE d.task_id = t.id AND d.wake = t.wake)
LIMIT $1
ON CONFLICT DO NOTHING
RETURNING task_id
