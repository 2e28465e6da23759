-- A root task with its first message, events, attempt, dispatch and budget account; once for each id.
-- $1 {id, tenantId, title, agent, model, definition, prompt, input, workspace, priority, tags, metadata, runAt, deadlineAt, retryOfId,
--     messageId, messageText, limitNanoUsd}
WITH given AS (
  SELECT * FROM json_to_record($1::json) AS g("id" text, "tenantId" text, "title" text, "agent" text, "model" text, "definition" json,
    "prompt" text, "input" json, "workspace" json, "priority" int, "tags" text[], "metadata" jsonb, "runAt" timestamptz,
    "deadlineAt" timestamptz, "retryOfId" text, "messageId" text, "messageText" text, "limitNanoUsd" bigint)
), born AS (
  INSERT INTO tasks (id, tenant_id, root_id, title, agent, model, definition, prompt, input, workspace, priority, tags, metadata, run_at,
    deadline_at, retry_of_id, message_seq, event_seq)
  SELECT "id", "tenantId", "id", "title", "agent", "model", "definition", "prompt", "input", "workspace", "priority", "tags", "metadata", "runAt",
    "deadlineAt", "retryOfId", 1, 2
  FROM given
  RETURNING id, tenant_id, title, agent, model, prompt, priority, run_at, event_seq, created_at
), said AS (
  INSERT INTO api_messages (id, task_id, seq, turn, role, content, epoch)
  SELECT "messageId", "id", 1, 0, 'user', json_build_array(json_build_object('type', 'text', 'text', "messageText")), 0 FROM given
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, 1, id, tenant_id, 'task.created', json_build_object('title', title, 'agent', agent, 'model', model, 'parentId', NULL, 'depth', 0,
    'prompt', left(prompt, 20000)) FROM born
  UNION ALL
  SELECT "id", 2, "id", "tenantId", 'message.user', json_build_object('messageId', "messageId", 'text', left("messageText", 20000), 'source', 'prompt') FROM given
), tried AS (
  INSERT INTO attempts (task_id, number) SELECT id, 1 FROM born
), account AS (
  INSERT INTO budget_accounts (root_id, limit_nano_usd) SELECT "id", "limitNanoUsd" FROM given
), dispatched AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority, run_at) SELECT id, 1, tenant_id, priority, coalesce(run_at, now()) FROM born
)
-- Not read off the stored time: it is rounded to milliseconds, and may lie half of one ahead.
SELECT born.id, born.id AS root_id, tenant_id, event_seq, CASE WHEN "runAt" IS NULL OR "runAt" <= now() THEN 1 END AS wake, created_at FROM given, born
