-- Ends a locked task at its deadline; what it had asked people is withdrawn. $1 task id, $2 failure
WITH was AS (
  SELECT id, state FROM tasks WHERE id = $1 AND state IN ('queued', 'waiting', 'paused') AND deadline_at <= now()
), unasked AS (
  UPDATE interactions i SET withdrawn_at = now() FROM was WHERE i.task_id = was.id AND coalesce(i.answered_at, i.withdrawn_at) IS NULL
  RETURNING i.id, i.kind, i.task_id
-- [part withdrawals]
), moved AS (
  UPDATE tasks SET state = 'failed', stop_cause = 'deadline', failure = $2::json, ended_at = now(), wait_reason = NULL,
    event_seq = event_seq + 2 + (SELECT count(*) FROM unasked), updated_at = now()
  FROM was WHERE tasks.id = was.id
  RETURNING tasks.id, root_id, tenant_id, attempt, event_seq, wait_id
), left_wait AS (
  UPDATE waits SET satisfied_at = now() FROM moved WHERE waits.id = moved.wait_id AND satisfied_at IS NULL
), news AS (
  SELECT * FROM withdrawals
  UNION ALL
  SELECT id, 2, 'attempt.ended', json_build_object('attempt', attempt, 'outcome', 'deadline') FROM moved
  UNION ALL
  SELECT id, 3, 'task.status_changed', json_build_object('from', state, 'to', 'failed', 'cause', 'deadline', 'failure', $2::json) FROM was
-- [part news]
), unsent AS (
  DELETE FROM dispatches USING moved WHERE dispatches.task_id = moved.id
), unrun AS (
  UPDATE tool_calls c SET status = 'canceled', is_error = true, ended_at = now(), output = coalesce(output, 'Not run: the deadline had passed.')
  FROM moved WHERE c.task_id = moved.id AND c.status IN ('generated', 'calling')
), tried AS (
  UPDATE attempts SET ended_at = now(), outcome = 'deadline', failure = $2::json
  FROM moved WHERE attempts.task_id = moved.id AND attempts.number = moved.attempt
)
SELECT id, root_id, tenant_id, event_seq FROM moved
