-- The birth of tasks: row, first message, events, attempt and dispatch; once for each id. The statement says before it who is born: newborn (id, "tenantId",
-- "rootId", "parentId", "callId", depth, title, agent, model, definition, prompt, input, workspace, "workspaceId", "contextItems", priority, tags, metadata, "runAt", "deadlineAt",
-- "retryOfId", state, "messageId", "messageText"). A state other than queued: it is born stopped, and nothing of it runs.
), born AS (
  INSERT INTO tasks (id, tenant_id, root_id, parent_id, parent_call_id, depth, title, agent, model, definition, prompt, input, workspace, workspace_id, context_items, priority, tags,
    metadata, run_at, deadline_at, retry_of_id, state, message_seq, event_seq, stop_cause, ended_at, mode)
  SELECT id, "tenantId", "rootId", "parentId", "callId", depth, title, agent, model, definition, prompt, input, workspace, "workspaceId", coalesce("contextItems", '[]'::json), priority, tags,
    metadata, "runAt", "deadlineAt", "retryOfId", state, 1, CASE WHEN state = 'queued' THEN 2 ELSE 3 END,
    CASE WHEN state = 'cancelled' THEN 'cancelled' END, CASE WHEN state = 'cancelled' THEN now() END,
    CASE WHEN definition ->> 'machine' IS NOT NULL THEN 'idle' END
  FROM newborn
  RETURNING id, tenant_id, root_id, parent_id, depth, title, agent, model, prompt, priority, run_at, state, event_seq, created_at
), born_first AS (
  INSERT INTO api_messages (id, task_id, seq, turn, role, content, epoch)
  SELECT "messageId", id, 1, 0, 'user', json_build_array(json_build_object('type', 'text', 'text', "messageText")), 0 FROM newborn
), born_events AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, 1, root_id, tenant_id, 'task.created', json_build_object('title', title, 'agent', agent, 'model', model, 'parentId', parent_id,
    'depth', depth, 'prompt', left(prompt, 20000)) FROM born
  UNION ALL
  SELECT id, 2, "rootId", "tenantId", 'message.user', json_build_object('messageId', "messageId", 'text', left("messageText", 20000), 'source', 'prompt')
  FROM newborn
  UNION ALL
  SELECT id, 3, root_id, tenant_id, 'task.status_changed',
    CASE WHEN state = 'cancelled' THEN json_build_object('from', 'queued', 'to', 'cancelled', 'cause', 'cancelled')
      ELSE json_build_object('from', 'queued', 'to', state) END
  FROM born WHERE state <> 'queued'
), born_attempts AS (
  INSERT INTO attempts (task_id, number, ended_at, outcome)
  SELECT id, 1, CASE WHEN state = 'cancelled' THEN now() END, CASE WHEN state = 'cancelled' THEN 'cancelled' END FROM born
), born_dispatches AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority, run_at)
  SELECT id, 1, tenant_id, priority, coalesce(run_at, now()) FROM born WHERE state = 'queued'
