-- Gives an ended task another attempt: same history, counters of mistakes anew. Runs after the row was locked and looked at.
-- $1 task id, $2 definition, $3 budget in nano-dollars or null, $4 message id, $5 message to the agent,
-- $6 ms until it may begin, $7 whether the message is the user's own, and so told as such
WITH was AS (
  SELECT id, state FROM tasks WHERE id = $1
), moved AS (
  UPDATE tasks t SET
    state = 'queued', attempt = attempt + 1, wake = wake + 1, phase = 'work', pending_cause = NULL, repairs = 0, mistakes = 0, crashes = 0, left_by = NULL, retries = 0,
    interrupted_at = NULL, cancel_requested_at = NULL, cancel_reason = NULL, wait_id = NULL, rollback_requested = false, pause_requested_at = NULL, deadline_at = CASE WHEN deadline_at <= now() THEN NULL ELSE deadline_at END,
    stop_cause = NULL, failure = NULL, output = NULL, partial = false, ended_at = NULL,
    run_at = CASE WHEN $6::int > 0 THEN now() + $6::int * interval '1 millisecond' END, definition = $2::json,
    inbox_pending = inbox_pending + 1, event_seq = event_seq + 1 + $7::boolean::int, updated_at = now()
  FROM was WHERE t.id = was.id AND t.state IN ('completed', 'failed', 'cancelled')
  RETURNING t.id, root_id, tenant_id, attempt, wake, priority, event_seq, run_at, was.state AS ended
), tried AS (
  INSERT INTO attempts (task_id, number) SELECT id, attempt FROM moved
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq - 1, root_id, tenant_id, 'message.queued', json_build_object('inboxId', $4::text, 'text', left($5, 20000)) FROM moved WHERE $7::boolean
  UNION ALL
  SELECT id, event_seq, root_id, tenant_id, 'task.status_changed',
    json_build_object('from', ended, 'to', 'queued', 'note', 'Attempt ' || attempt || ' was asked for.') FROM moved
), heard AS (
  INSERT INTO inbox_messages (id, task_id, text, source) SELECT $4, id, $5, CASE WHEN $7::boolean THEN ended::text ELSE 'user' END FROM moved
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority, run_at) SELECT id, wake, tenant_id, priority, coalesce(run_at, now()) FROM moved
), account AS (
  UPDATE budget_accounts a SET limit_nano_usd = $3::bigint FROM moved WHERE a.root_id = moved.root_id
)
SELECT id, root_id, tenant_id, event_seq, CASE WHEN $6::int <= 0 THEN wake END AS wake FROM moved
