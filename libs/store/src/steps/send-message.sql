-- Puts a message into the inbox of a task that has not ended. $1 task id, $2 tenant id, $3 message id, $4 text
WITH heard AS (
  UPDATE tasks SET inbox_pending = inbox_pending + 1, updated_at = now()
  WHERE id = $1 AND tenant_id = $2 AND state NOT IN ('completed', 'failed', 'cancelled')
  RETURNING id
), stored AS (
  INSERT INTO inbox_messages (id, task_id, text) SELECT $3, id, $4 FROM heard
)
SELECT (SELECT count(*) FROM heard)::int AS heard,
       (SELECT count(*) FROM tasks WHERE id = $1 AND tenant_id = $2)::int AS found
