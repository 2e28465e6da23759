-- The answer to an interaction whose task is locked: the first one counts. A task that waits for it is queued; a paused one finds its wait over
-- when it goes on. What the answer changes beside (money, autonomy and to-do list of an accepted plan) changes with it.
-- Whether it is open is asked in one expression: else the index of all open ones would seem to be a way to one of them, and stay it when they are many.
-- $1 interaction id, $2 answer, $3 who, $4 raised limit in nano-dollars or null, $5 autonomy or null, $6 to-do list or null
-- Result: the task that was told, or nothing when there is nothing (any more) to answer
WITH answered AS (
  UPDATE interactions i SET answer = $2::json, answered_by = $3, answered_at = now()
  FROM tasks t
  WHERE i.id = $1 AND t.id = i.task_id AND coalesce(i.answered_at, i.withdrawn_at) IS NULL AND t.state NOT IN ('completed', 'failed', 'cancelled')
  RETURNING i.id, i.kind, i.task_id, i.root_id
), satisfied AS (
  UPDATE waits w SET satisfied_at = coalesce(w.satisfied_at, now())
  FROM answered JOIN tasks t ON t.id = answered.task_id
  WHERE w.id = t.wait_id AND answered.id = ANY (w.interaction_ids)
  RETURNING w.id
), was AS (
  SELECT t.id, t.autonomy, t.definition ->> 'autonomy' AS submitted, t.state = 'waiting' AND EXISTS (SELECT FROM satisfied) AS wakes
  FROM tasks t JOIN answered ON answered.task_id = t.id
), moved AS (
  UPDATE tasks t SET
    state = CASE WHEN was.wakes THEN 'queued' ELSE t.state END,
    wake = t.wake + was.wakes::int,
    wait_reason = CASE WHEN was.wakes THEN NULL ELSE t.wait_reason END,
    autonomy = coalesce($5, t.autonomy),
    todos = coalesce($6::jsonb, t.todos),
    event_seq = t.event_seq + 1 + was.wakes::int + ($5::text IS NOT NULL)::int + ($6::jsonb IS NOT NULL)::int,
    updated_at = now()
  FROM was WHERE t.id = was.id
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq, was.wakes AS woken
), raised AS (
  UPDATE budget_accounts b SET limit_nano_usd = $4::bigint FROM answered WHERE b.root_id = answered.root_id AND $4::bigint IS NOT NULL
), news AS (
  SELECT task_id, 1 AS place, 'interaction.closed' AS type, json_build_object('interactionId', id, 'kind', kind,
    'state', CASE WHEN $3 = 'expiry' THEN 'expired' ELSE 'answered' END, 'by', $3::text, 'answer', $2::json) AS data FROM answered
  UNION ALL
  SELECT id, 2, 'autonomy.switched', json_build_object('from', coalesce(autonomy, submitted), 'to', $5::text, 'by', 'plan') FROM was WHERE $5::text IS NOT NULL
  UNION ALL
  SELECT id, 3, 'todo.updated', json_build_object('todos', $6::json) FROM was WHERE $6::jsonb IS NOT NULL
  UNION ALL
  SELECT id, 4, 'task.status_changed', '{"from":"waiting","to":"queued"}'::json FROM was WHERE wakes
-- [part news]
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM moved WHERE woken
)
SELECT id, root_id, tenant_id, event_seq, CASE WHEN woken THEN wake END AS wake FROM moved
