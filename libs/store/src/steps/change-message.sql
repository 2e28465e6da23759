-- Changes a message that is not delivered yet, or withdraws it; its task is locked. $1 task id, $2 message id, $3 text, or null to withdraw it
-- Result: how it was (`pending`, `delivered`, `withdrawn`), and the task, when it was changed; nothing when there is no such message
WITH was AS (
  SELECT i.id, CASE
    WHEN i.withdrawn_at IS NOT NULL THEN 'withdrawn'
    WHEN i.delivered_at IS NOT NULL OR (t.state = 'running' AND i.taken_epoch = t.epoch) THEN 'delivered'
    ELSE 'pending' END AS state
  FROM inbox_messages i JOIN tasks t ON t.id = i.task_id WHERE i.id = $2 AND i.task_id = $1 AND i.source <> 'notice'
), changed AS (
  UPDATE inbox_messages i SET
    text = coalesce($3, i.text),
    edited_at = CASE WHEN $3::text IS NULL THEN i.edited_at ELSE now() END,
    withdrawn_at = CASE WHEN $3::text IS NULL THEN now() END
  FROM was WHERE i.id = was.id AND was.state = 'pending'
  RETURNING i.id
), moved AS (
  UPDATE tasks t SET inbox_pending = t.inbox_pending - ($3::text IS NULL)::int, event_seq = t.event_seq + 1, updated_at = now()
  FROM changed WHERE t.id = $1
  RETURNING t.id, t.root_id, t.tenant_id, t.event_seq
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq, root_id, tenant_id, CASE WHEN $3::text IS NULL THEN 'message.withdrawn' ELSE 'message.edited' END,
    CASE WHEN $3::text IS NULL THEN json_build_object('inboxId', $2::text) ELSE json_build_object('inboxId', $2::text, 'text', left($3, 20000)) END
  FROM moved
)
SELECT was.state, moved.* FROM was LEFT JOIN moved ON true
