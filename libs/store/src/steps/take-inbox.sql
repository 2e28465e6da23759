-- Takes the undelivered messages of a running task for its next step; nobody can change them from now on while this lease lasts. A change
-- that came first is seen: the row is read again after its lock. $1 task id, $2 epoch
WITH held AS (
  SELECT id, epoch FROM tasks WHERE id = $1 AND epoch = $2 AND state = 'running' FOR NO KEY UPDATE
), taken AS (
  UPDATE inbox_messages i SET taken_epoch = held.epoch FROM held
  WHERE i.task_id = held.id AND i.delivered_at IS NULL AND i.withdrawn_at IS NULL
  RETURNING i.id, i.text, i.source, i.created_at
)
SELECT id, text, source FROM taken ORDER BY created_at, id
