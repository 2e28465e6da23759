-- A newborn task has its files from a checkpoint, and both tasks say so. $1 the new task, $2 the checkpoint's task, which is locked, $3 checkpoint,
-- (null: of an import, which has no files), $4 number of messages that came along
WITH own AS (
  INSERT INTO workspaces (id, root_id, base) SELECT $1, $1, $3 WHERE $3::text IS NOT NULL
), moved AS (
  UPDATE tasks SET event_seq = event_seq + 1, forked_task_id = CASE WHEN id = $1 THEN $2 ELSE forked_task_id END,
    -- What its conversation was told in the other one belongs to the conversation.
    briefing = CASE WHEN id = $1 AND $4 > 0 THEN (SELECT briefing FROM tasks WHERE id = $2) ELSE briefing END,
    context_items = CASE WHEN id = $1 AND $4 > 0 THEN (SELECT context_items FROM tasks WHERE id = $2) ELSE context_items END
  WHERE id IN ($1, $2)
  RETURNING id, root_id, tenant_id, event_seq
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq, root_id, tenant_id, CASE WHEN id = $1 THEN 'task.forked_from' ELSE 'task.forked' END,
    CASE WHEN id = $1 THEN json_build_object('taskId', $2::text, 'checkpointId', $3::text, 'messages', $4::int)
      ELSE json_build_object('taskId', $1::text, 'checkpointId', $3::text) END
  FROM moved
)
SELECT id, root_id, tenant_id, event_seq, NULL::int AS wake FROM moved
