-- Queues the locked tasks of `ready` (id): what they waited for is over.
), moved AS (
  UPDATE tasks t SET state = 'queued', wake = t.wake + 1, wait_reason = NULL, event_seq = t.event_seq + 1, updated_at = now()
  WHERE t.id = ANY (array(SELECT id FROM ready))
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq, root_id, tenant_id, 'task.status_changed', json_build_object('from', 'waiting', 'to', 'queued') FROM moved
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM moved
