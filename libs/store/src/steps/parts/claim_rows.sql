), tried AS (
  INSERT INTO attempts (task_id, number, started_at)
  SELECT id, attempt, now() FROM claimed
  ON CONFLICT (task_id, number) DO UPDATE SET started_at = coalesce(attempts.started_at, now())
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data, epoch)
  SELECT id, event_seq - 1, root_id, tenant_id, 'task.status_changed',
         json_build_object('from', 'queued', 'to', 'running'), epoch FROM claimed
  UNION ALL
  SELECT id, event_seq, root_id, tenant_id, 'attempt.started',
         json_build_object('attempt', attempt, 'epoch', epoch, 'workerId', $3::text), epoch FROM claimed
