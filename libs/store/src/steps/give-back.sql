-- Queues a task whose run broke off while its worker lives on. It counts as no crash, unlike a lease that runs out.
-- $1 task id, $2 epoch, $3 what people are told. No row: the lease is lost, and the task in other hands.
WITH moved AS (
  UPDATE tasks SET state = 'queued', wake = wake + 1, left_by = worker_id, worker_id = NULL, lease_expires_at = NULL, event_seq = event_seq + 1, updated_at = now()
  WHERE id = $1 AND epoch = $2 AND state = 'running'
  RETURNING id, root_id, tenant_id, priority, wake, event_seq, epoch
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data, epoch)
  SELECT id, event_seq, root_id, tenant_id, 'task.status_changed',
    json_build_object('from', 'running', 'to', 'queued', 'note', $3::text), epoch FROM moved
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM moved
)
SELECT id, root_id, tenant_id, event_seq, wake FROM moved
