-- Ends a locked task at its deadline. $1 task id, $2 failure
WITH was AS (
  SELECT id, state FROM tasks WHERE id = $1
), ended AS (
  UPDATE tasks SET state = 'failed', stop_cause = 'deadline', failure = $2::json, ended_at = now(), wait_reason = NULL,
    event_seq = event_seq + 2, updated_at = now()
  WHERE id = $1 AND state IN ('queued', 'waiting', 'paused') AND deadline_at <= now()
  RETURNING id, root_id, tenant_id, attempt, event_seq
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq - 1, root_id, tenant_id, 'attempt.ended', json_build_object('attempt', attempt, 'outcome', 'deadline') FROM ended
  UNION ALL
  SELECT ended.id, event_seq, root_id, tenant_id, 'task.status_changed',
    json_build_object('from', was.state, 'to', 'failed', 'cause', 'deadline', 'failure', $2::json) FROM ended JOIN was ON was.id = ended.id
), unsent AS (
  DELETE FROM dispatches USING ended WHERE dispatches.task_id = ended.id
), unrun AS (
  UPDATE tool_calls c SET status = 'canceled', is_error = true, ended_at = now(), output = coalesce(output, 'Not run: the deadline had passed.')
  FROM ended WHERE c.task_id = ended.id AND c.status IN ('generated', 'calling')
), unasked AS (
  UPDATE interactions i SET withdrawn_at = now() FROM ended WHERE i.task_id = ended.id AND i.answered_at IS NULL AND i.withdrawn_at IS NULL
), tried AS (
  UPDATE attempts SET ended_at = now(), outcome = 'deadline', failure = $2::json
  FROM ended WHERE attempts.task_id = ended.id AND attempts.number = ended.attempt
)
SELECT id, root_id, tenant_id, event_seq, true AS ended FROM ended
