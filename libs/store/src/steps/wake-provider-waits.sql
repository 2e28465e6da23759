-- Queues tasks that wait for a provider key and need not: the key is not parked (any more), or living workers have another one
-- that is not. Where workers with the parked key live, too, one of them may take the task and let it wait again: then it is
-- tried only so often.
-- $1 limit, $2 a worker lives when it was seen within this many ms, $3 patience with workers of both kinds, in ms
WITH live AS (
  SELECT w.provider_key AS key, bool_or(k.parked_at IS NOT NULL) AS parked
  FROM workers w LEFT JOIN provider_keys k ON k.id = w.provider_key
  WHERE w.stopped_at IS NULL AND w.seen_at > now() - $2::int * interval '1 millisecond' AND w.provider_key IS NOT NULL
  GROUP BY w.provider_key
), ready AS (
  SELECT t.id, w.id AS wait_id
  FROM tasks t JOIN waits w ON w.id = t.wait_id
  WHERE t.state = 'waiting' AND t.wait_reason = 'provider' AND w.provider_key IS NOT NULL AND (
    NOT EXISTS (SELECT FROM provider_keys k WHERE k.id = w.provider_key AND k.parked_at IS NOT NULL)
    OR (EXISTS (SELECT FROM live WHERE NOT live.parked AND live.key <> w.provider_key)
        AND (w.created_at < now() - $3::int * interval '1 millisecond' OR NOT EXISTS (SELECT FROM live WHERE live.key = w.provider_key)))
  )
  ORDER BY w.created_at LIMIT $1 FOR NO KEY UPDATE OF t SKIP LOCKED
), satisfied AS (
  UPDATE waits SET satisfied_at = coalesce(satisfied_at, now()) FROM ready WHERE waits.id = ready.wait_id
), moved AS (
  UPDATE tasks t SET state = 'queued', wake = t.wake + 1, wait_reason = NULL, event_seq = t.event_seq + 1, updated_at = now()
  FROM ready WHERE t.id = ready.id
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq, root_id, tenant_id, 'task.status_changed', json_build_object('from', 'waiting', 'to', 'queued') FROM moved
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM moved
)
SELECT id, root_id, tenant_id, event_seq, wake, true AS woken FROM moved
