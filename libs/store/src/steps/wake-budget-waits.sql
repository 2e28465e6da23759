-- Tasks of a tree that ask for more money although its limit has been raised since: what they asked is withdrawn, and they look again.
-- Whom somebody else holds is left for the next look. $1 root id, $2 limit
WITH stale AS (
  SELECT i.id, t.wait_id
  FROM interactions i JOIN tasks t ON t.id = i.task_id JOIN budget_accounts b ON b.root_id = i.root_id
  WHERE i.answered_at IS NULL AND i.withdrawn_at IS NULL AND i.kind = 'budget' AND i.root_id = $1
    AND t.state IN ('waiting', 'paused') AND (b.limit_nano_usd IS NULL OR b.limit_nano_usd > (i.payload ->> 'limitUsd')::numeric * 1000000000)
  ORDER BY i.id LIMIT $2 FOR NO KEY UPDATE OF t SKIP LOCKED
), unasked AS (
  -- A paused task may have been answered between the look and its lock.
  UPDATE interactions i SET withdrawn_at = now() FROM stale WHERE i.id = stale.id AND coalesce(i.answered_at, i.withdrawn_at) IS NULL
  RETURNING i.id, i.kind, i.task_id, stale.wait_id
-- [part withdrawals]
), satisfied AS (
  UPDATE waits w SET satisfied_at = coalesce(w.satisfied_at, now())
  FROM unasked WHERE w.id = unasked.wait_id AND unasked.id = ANY (w.interaction_ids)
  RETURNING w.id
), was AS (
  SELECT t.id, t.state = 'waiting' AND EXISTS (SELECT FROM satisfied WHERE satisfied.id = t.wait_id) AS wakes,
    (SELECT count(*) FROM unasked WHERE unasked.task_id = t.id)::int AS closed
  FROM tasks t WHERE t.id IN (SELECT task_id FROM unasked)
), moved AS (
  UPDATE tasks t SET
    state = CASE WHEN was.wakes THEN 'queued' ELSE t.state END,
    wake = t.wake + was.wakes::int,
    wait_reason = CASE WHEN was.wakes THEN NULL ELSE t.wait_reason END,
    event_seq = t.event_seq + was.closed + was.wakes::int,
    updated_at = now()
  FROM was WHERE t.id = was.id
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq, was.wakes AS woken
), news AS (
  SELECT * FROM withdrawals
  UNION ALL
  SELECT id, 2, 'task.status_changed', '{"from":"waiting","to":"queued"}'::json FROM was WHERE wakes
-- [part news]
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM moved WHERE woken
)
SELECT id, root_id, tenant_id, event_seq, CASE WHEN woken THEN wake END AS wake FROM moved
