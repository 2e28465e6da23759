-- Lets locked tasks go on: a paused one waits again, or is queued when its wait is over or it had none; a pause that was only
-- requested is taken back, also from a task that is queued because the worker that was told of it is lost. $1 ids (text[])
WITH paused AS (
  SELECT t.id, CASE WHEN w.id IS NOT NULL AND w.satisfied_at IS NULL THEN w.reason END AS reason
  FROM tasks t LEFT JOIN waits w ON w.id = t.wait_id WHERE t.id = ANY ($1::text[]) AND t.state = 'paused'
), moved AS (
  UPDATE tasks t SET
    state = CASE WHEN paused.reason IS NULL THEN 'queued' ELSE 'waiting' END::task_state,
    wait_reason = paused.reason,
    wake = t.wake + (paused.reason IS NULL)::int,
    event_seq = t.event_seq + 1,
    updated_at = now()
  FROM paused WHERE t.id = paused.id
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq, t.state, t.run_at, t.wait_reason
), unmarked AS (
  UPDATE tasks SET pause_requested_at = NULL, event_seq = event_seq + 1, updated_at = now()
  WHERE id = ANY ($1::text[]) AND state IN ('running', 'queued') AND pause_requested_at IS NOT NULL
  RETURNING id, root_id, tenant_id, event_seq
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq, root_id, tenant_id, 'task.status_changed', json_build_object('from', 'paused', 'to', state, 'reason', wait_reason) FROM moved
  UNION ALL
  SELECT id, event_seq, root_id, tenant_id, 'task.updated', '{"changes":{"pauseRequested":false}}' FROM unmarked
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority, run_at)
  SELECT id, wake, tenant_id, priority, greatest(run_at, now()) FROM moved WHERE state = 'queued'
)
SELECT id, root_id, tenant_id, event_seq, CASE WHEN state = 'queued' AND (run_at IS NULL OR run_at <= now()) THEN wake END AS wake FROM moved
UNION ALL
SELECT id, root_id, tenant_id, event_seq, NULL FROM unmarked
