-- Gives a newborn task, which has no conversation yet, that of another one as it was at some place: new rows, all before its first turn. Calls that had
-- not ended by then count as not run; what they started belongs to the other task.
-- $1 the new task, $2 the other one, $3 its newest event at that place, $4 [{"was", "becomes", "content"}]: the messages that come along and their calls, with
-- their new ids, and content where it is to differ
WITH place AS (
  SELECT $2::text AS task_id, $3::int AS event_seq
), ids AS (
  SELECT * FROM json_to_recordset($4::json) AS i(was text, becomes text, content json)
), rows AS (
  SELECT m.id, m.seq, m.role, coalesce(ids.content, m.content) AS content, m.stop_reason, m.context_tokens, m.reduction, m.created_at, ids.becomes,
    row_number() OVER (ORDER BY m.seq) AS new_seq
  FROM place JOIN api_messages m ON m.task_id = place.task_id JOIN ids ON ids.was = m.id
), said AS (
  -- Numbers have no gaps here, so that ranges are of others than they were.
  INSERT INTO api_messages (id, task_id, seq, turn, role, content, stop_reason, context_tokens, reduction, epoch, created_at)
  SELECT becomes, $1, new_seq, 0, role, content, stop_reason, context_tokens, CASE WHEN reduction IS NOT NULL THEN json_build_object(
      'kind', reduction ->> 'kind', 'fromSeq', 1 + (SELECT count(*) FROM rows r WHERE r.seq < (rows.reduction ->> 'fromSeq')::int),
      'toSeq', (SELECT count(*) FROM rows r WHERE r.seq <= (rows.reduction ->> 'toSeq')::int), 'modelCallId', NULL, 'forcedBy', NULL) END, 0, created_at
  FROM rows
  RETURNING id, seq
), happened AS (
  SELECT e.* FROM place JOIN ui_events e ON e.task_id = place.task_id AND e.seq <= place.event_seq
), calls AS (
  SELECT c.*, ids.becomes AS new_id, owner.becomes AS new_message,
    c.status IN ('done', 'canceled', 'errored') AND (owner.becomes <> (SELECT id FROM said ORDER BY seq DESC LIMIT 1)
      OR c.id IN (SELECT data ->> 'callId' FROM happened WHERE type = 'tool.finished')) AS is_over
  FROM place JOIN tool_calls c ON c.task_id = place.task_id JOIN ids ON ids.was = c.id JOIN ids owner ON owner.was = c.message_id
), called AS (
  INSERT INTO tool_calls (id, task_id, message_id, turn, position, tool_use_id, tool, status, raw_arguments, arguments, approval, output, full_output, media, is_error,
    started_epoch, sandbox, started_at, ended_at)
  SELECT new_id, $1, new_message, 0, row_number() OVER (ORDER BY turn, position) - 1, tool_use_id, tool, CASE WHEN is_over THEN status ELSE 'canceled' END,
    raw_arguments, arguments, approval, CASE WHEN is_over THEN output ELSE 'Not run: the work goes on from a state before this call.' END,
    CASE WHEN is_over THEN full_output END, CASE WHEN is_over THEN media END, is_error OR NOT is_over, CASE WHEN is_over AND started_at IS NOT NULL THEN 0 END, sandbox,
    CASE WHEN is_over THEN started_at END, CASE WHEN is_over THEN ended_at ELSE now() END
  FROM calls
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data, at)
  SELECT $1, 1 + row_number() OVER (ORDER BY h.seq), $1, h.tenant_id, h.type,
    -- An id is nothing else anywhere.
    CASE WHEN ids.was IS NULL THEN h.data ELSE replace(h.data::text, ids.was, ids.becomes)::json END, h.at
  FROM happened h LEFT JOIN ids ON ids.was = coalesce(h.data ->> 'messageId', h.data ->> 'callId')
  WHERE h.type = 'todo.updated' OR h.type = 'autonomy.switched' AND h.epoch IS DISTINCT FROM -1 OR h.type IN ('message.user', 'message.agent', 'context.masked', 'context.condensed', 'context.truncated') AND ids.was IS NOT NULL
    OR h.type IN ('tool.started', 'tool.finished') AND ids.becomes IN (SELECT new_id FROM calls WHERE is_over)
  ORDER BY h.seq
  RETURNING seq, type, data
)
UPDATE tasks SET message_seq = (SELECT count(*) FROM said), event_seq = 1 + (SELECT count(*) FROM told),
  todos = coalesce((SELECT (data ->> 'todos')::jsonb FROM told WHERE type = 'todo.updated' ORDER BY seq DESC LIMIT 1), todos),
  autonomy = (SELECT data ->> 'to' FROM told WHERE type = 'autonomy.switched' ORDER BY seq DESC LIMIT 1)
WHERE id = $1
