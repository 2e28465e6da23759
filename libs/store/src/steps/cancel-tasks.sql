-- Cancels locked tasks: what does not run is cancelled now, what runs is marked, so that nothing of it starts any more.
-- What the former had asked people is withdrawn. $1 ids (text[]), $2 reason or null
WITH unasked AS (
  UPDATE interactions i SET withdrawn_at = now() FROM tasks t
  WHERE t.id = ANY ($1::text[]) AND t.state IN ('queued', 'waiting', 'paused') AND i.task_id = t.id AND coalesce(i.answered_at, i.withdrawn_at) IS NULL
  RETURNING i.id, i.task_id, i.kind
-- [part withdrawals]
), stopped AS (
  UPDATE tasks SET
    state = 'cancelled', stop_cause = 'cancelled', ended_at = now(), cancel_requested_at = coalesce(cancel_requested_at, now()),
    cancel_reason = coalesce(cancel_reason, $2), wait_reason = NULL,
    event_seq = event_seq + 2 + (SELECT count(*) FROM unasked WHERE unasked.task_id = tasks.id), updated_at = now()
  WHERE id = ANY ($1::text[]) AND state IN ('queued', 'waiting', 'paused')
  RETURNING id, root_id, tenant_id, agent, attempt, event_seq, state, wait_id
), left_wait AS (
  UPDATE waits SET satisfied_at = now() FROM stopped WHERE waits.id = stopped.wait_id AND satisfied_at IS NULL
), was AS (
  -- The state before, for the event: the statement's snapshot still shows it.
  SELECT id, state FROM tasks WHERE id = ANY ($1::text[])
), marked AS (
  UPDATE tasks SET cancel_requested_at = now(), cancel_reason = $2, event_seq = event_seq + 1, updated_at = now()
  WHERE id = ANY ($1::text[]) AND state = 'running' AND cancel_requested_at IS NULL
  RETURNING id, root_id, tenant_id, event_seq
), moved AS (
  SELECT id, root_id, tenant_id, event_seq, false AS leave FROM stopped
  UNION ALL
  SELECT id, root_id, tenant_id, event_seq, true FROM marked
), news AS (
  SELECT * FROM withdrawals
  UNION ALL
  SELECT id, 0, 'task.cancel_requested', json_build_object('reason', $2::text) FROM moved
  UNION ALL
  SELECT id, 2, 'task.status_changed', json_build_object('from', was.state, 'to', 'cancelled', 'cause', 'cancelled') FROM stopped JOIN was USING (id)
-- [part news]
), unsent AS (
  DELETE FROM dispatches USING stopped WHERE dispatches.task_id = stopped.id
), unrun AS (
  UPDATE tool_calls c SET status = 'canceled', is_error = true, ended_at = now(), output = coalesce(output, 'Not run: the task was cancelled.')
  FROM stopped WHERE c.task_id = stopped.id AND c.status IN ('generated', 'calling')
), tried AS (
  UPDATE attempts SET ended_at = now(), outcome = 'cancelled' FROM stopped WHERE attempts.task_id = stopped.id AND attempts.number = stopped.attempt
)
SELECT * FROM moved
