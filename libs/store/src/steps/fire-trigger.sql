-- Stores a trigger that a person fired for a locked task; when it leads somewhere, what waits for a person's answer looks again.
-- $1 task id, $2 row {seq, from, to, trigger, source, by, reason, refusal, possible}, $3 its event {type, data}, $4 message id, $5 what the agent is told
WITH firing AS (
  SELECT * FROM json_to_record($2::json) AS m(
    "seq" int, "from" text, "to" text, "trigger" text, "source" text, "by" text, "reason" text, "refusal" text, "possible" json)
), was AS (
  SELECT t.id, f."to" IS NOT NULL AS moves, f."to" IS NOT NULL AND t.state = 'waiting' AND t.wait_reason IN ('approval', 'answer') AS wakes
  FROM tasks t, firing f WHERE t.id = $1
), fired AS (
  UPDATE tasks t SET
    mode = coalesce(firing."to", t.mode),
    mode_seq = firing."seq",
    inbox_pending = t.inbox_pending + was.moves::int,
    state = CASE WHEN was.wakes THEN 'queued' ELSE t.state END,
    wake = t.wake + was.wakes::int,
    wait_reason = CASE WHEN was.wakes THEN NULL ELSE t.wait_reason END,
    event_seq = t.event_seq + 1 + was.wakes::int,
    updated_at = now()
  FROM was, firing WHERE t.id = was.id AND t.mode_seq = firing."seq" - 1
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq, t.wait_id, was.moves, was.wakes AS woken
), recorded AS (
  INSERT INTO mode_transitions (task_id, seq, "from", trigger, "to", source, by, reason, refusal, possible)
  SELECT id, "seq", "from", "trigger", "to", "source", "by", "reason", "refusal", ARRAY(SELECT json_array_elements_text("possible")) FROM fired, firing
), left_wait AS (
  UPDATE waits SET satisfied_at = now() FROM fired WHERE fired.woken AND waits.id = fired.wait_id AND satisfied_at IS NULL
), heard AS (
  INSERT INTO inbox_messages (id, task_id, text, source) SELECT $4, id, $5, 'notice' FROM fired WHERE moves
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq - woken::int, root_id, tenant_id, $3::json ->> 'type', $3::json -> 'data' FROM fired
  UNION ALL
  SELECT id, event_seq, root_id, tenant_id, 'task.status_changed', json_build_object('from', 'waiting', 'to', 'queued') FROM fired WHERE woken
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM fired WHERE woken
)
SELECT id, root_id, tenant_id, event_seq, CASE WHEN woken THEN wake END AS wake FROM fired
