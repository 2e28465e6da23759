-- Ends a locked task at its deadline; what it had asked people is withdrawn. $1 task id, $2 failure
WITH was AS (
  SELECT id, state FROM tasks WHERE id = $1 AND state IN ('queued', 'waiting', 'paused') AND deadline_at <= now()
), unasked AS (
  UPDATE interactions i SET withdrawn_at = now() FROM was WHERE i.task_id = was.id AND i.answered_at IS NULL AND i.withdrawn_at IS NULL
  RETURNING i.id, i.kind
), ended AS (
  UPDATE tasks SET state = 'failed', stop_cause = 'deadline', failure = $2::json, ended_at = now(), wait_reason = NULL,
    event_seq = event_seq + 2 + (SELECT count(*) FROM unasked), updated_at = now()
  FROM was WHERE tasks.id = was.id
  RETURNING tasks.id, root_id, tenant_id, attempt, event_seq, wait_id
), left_wait AS (
  UPDATE waits SET satisfied_at = now() FROM ended WHERE waits.id = ended.wait_id AND satisfied_at IS NULL
), news AS (
  SELECT 1 AS place, 'interaction.closed' AS type, json_build_object('interactionId', id, 'kind', kind, 'state', 'withdrawn', 'by', NULL, 'answer', NULL) AS data
  FROM unasked
  UNION ALL
  SELECT 2, 'attempt.ended', json_build_object('attempt', attempt, 'outcome', 'deadline') FROM ended
  UNION ALL
  SELECT 3, 'task.status_changed', json_build_object('from', state, 'to', 'failed', 'cause', 'deadline', 'failure', $2::json) FROM was
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT ended.id, event_seq - count(*) OVER () + row_number() OVER (ORDER BY news.place), root_id, tenant_id, news.type, news.data FROM ended, news
), unsent AS (
  DELETE FROM dispatches USING ended WHERE dispatches.task_id = ended.id
), unrun AS (
  UPDATE tool_calls c SET status = 'canceled', is_error = true, ended_at = now(), output = coalesce(output, 'Not run: the deadline had passed.')
  FROM ended WHERE c.task_id = ended.id AND c.status IN ('generated', 'calling')
), tried AS (
  UPDATE attempts SET ended_at = now(), outcome = 'deadline', failure = $2::json
  FROM ended WHERE attempts.task_id = ended.id AND attempts.number = ended.attempt
)
SELECT id, root_id, tenant_id, event_seq FROM ended
