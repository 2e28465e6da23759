-- Pauses locked tasks: what does not run is paused now and keeps its wait, what runs is told to stop at its next border.
-- $1 ids (text[]), $2 leave at once what is under way
WITH was AS (
  -- The state before, for the event: the statement's snapshot still shows it.
  SELECT id, state FROM tasks WHERE id = ANY ($1::text[])
), stopped AS (
  UPDATE tasks SET state = 'paused', wait_reason = NULL, pause_requested_at = NULL, event_seq = event_seq + 1, updated_at = now()
  WHERE id = ANY ($1::text[]) AND state IN ('queued', 'waiting')
  RETURNING id, root_id, tenant_id, event_seq
), marked AS (
  UPDATE tasks SET pause_requested_at = coalesce(pause_requested_at, now()), interrupted_at = CASE WHEN $2 THEN now() ELSE interrupted_at END,
    event_seq = event_seq + 1, updated_at = now()
  WHERE id = ANY ($1::text[]) AND state = 'running' AND (pause_requested_at IS NULL OR ($2 AND interrupted_at IS NULL))
  RETURNING id, root_id, tenant_id, event_seq
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT stopped.id, event_seq, root_id, tenant_id, 'task.status_changed', json_build_object('from', was.state, 'to', 'paused')
  FROM stopped JOIN was ON was.id = stopped.id
  UNION ALL
  SELECT id, event_seq, root_id, tenant_id, 'task.pause_requested', json_build_object('now', $2::boolean) FROM marked
), unsent AS (
  DELETE FROM dispatches USING stopped WHERE dispatches.task_id = stopped.id
)
SELECT id, root_id, tenant_id, event_seq, false AS leave FROM stopped
UNION ALL
SELECT id, root_id, tenant_id, event_seq, $2::boolean AS leave FROM marked
