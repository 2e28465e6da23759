-- Drops the newest part of the conversation of a locked task that is at rest: the rows stay, what of them is still open ends. A wait for
-- anything but the user's word is over; a paused task finds out what comes next when it goes on. $1 task id, $2 first seq that is dropped, $3 why
WITH dropped AS (
  UPDATE api_messages SET dropped_at = now() WHERE task_id = $1 AND seq >= $2 AND dropped_at IS NULL RETURNING id, seq
), unrun AS (
  UPDATE tool_calls c SET status = 'canceled', is_error = true, ended_at = now(), output = coalesce(output, 'Not run: the conversation was rewound.')
  FROM dropped WHERE c.task_id = $1 AND c.message_id = dropped.id AND c.status IN ('generated', 'calling')
), unasked AS (
  UPDATE interactions SET withdrawn_at = now() WHERE task_id = $1 AND coalesce(answered_at, withdrawn_at) IS NULL
  RETURNING id, kind, task_id
-- [part withdrawals]
), awaits AS (
  SELECT EXISTS (SELECT FROM tasks t JOIN waits w ON w.id = t.wait_id WHERE t.id = $1 AND w.reason = 'message' AND w.satisfied_at IS NULL) AS message
), left_wait AS (
  UPDATE waits w SET satisfied_at = now() FROM tasks t WHERE t.id = $1 AND w.id = t.wait_id AND w.reason <> 'message' AND w.satisfied_at IS NULL
), moved AS (
  UPDATE tasks t SET phase = 'work', pending_cause = NULL, repairs = 0, mistakes = 0, interrupted_at = NULL, rollback_requested = false,
    wait_id = CASE WHEN awaits.message THEN t.wait_id END,
    event_seq = t.event_seq + 1 + (SELECT count(*) FROM unasked), updated_at = now()
  FROM awaits WHERE t.id = $1
  RETURNING t.id, t.root_id, t.tenant_id, t.event_seq
), news AS (
  SELECT * FROM withdrawals
  UNION ALL
  SELECT $1, 2, 'history.rewound', json_build_object('reason', $3::text, 'messageIds', (SELECT json_agg(id ORDER BY seq) FROM dropped))
-- [part news]
)
SELECT moved.*, (SELECT count(*) FROM dropped)::int AS messages FROM moved
