-- Changes what may change while a task lives; null leaves a field as it is. Runs after the row was locked and looked at.
-- $1 task id, $2 changes {title, priority, tags, metadata, deadlineAt, setDeadline, profiles, definition}, $3 the same for people
WITH given AS (
  SELECT * FROM json_to_record($2::json) AS g("title" text, "priority" int, "tags" text[], "metadata" jsonb, "deadlineAt" timestamptz, "setDeadline" boolean, "profiles" json,
    "definition" json)
), moved AS (
  UPDATE tasks t SET
    title = coalesce(given."title", t.title),
    priority = coalesce(given."priority", t.priority),
    tags = coalesce(given."tags", t.tags),
    metadata = coalesce(given."metadata", t.metadata),
    deadline_at = CASE WHEN given."setDeadline" THEN given."deadlineAt" ELSE t.deadline_at END,
    definition = coalesce(given."definition", t.definition),
    model = coalesce(given."profiles" -> 0 ->> 'model', t.model),
    -- The version tells a run that it has to look; its own change of the same moment is not stored then.
    route = CASE WHEN given."profiles" IS NULL THEN t.route
      ELSE json_build_object('version', coalesce((t.route ->> 'version')::int, 0) + 1, 'profiles', given."profiles", 'active', 0, 'since', t.message_seq + 1, 'until', NULL) END,
    event_seq = t.event_seq + 1,
    updated_at = now()
  FROM given WHERE t.id = $1
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.event_seq
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq, root_id, tenant_id, 'task.updated', json_build_object('changes', $3::json) FROM moved
), reordered AS (
  UPDATE dispatches d SET priority = moved.priority FROM moved WHERE d.task_id = moved.id
)
SELECT id, root_id, tenant_id, event_seq FROM moved
