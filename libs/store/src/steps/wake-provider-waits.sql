-- Queues tasks that wait for a provider key and need not: the key is not parked (any more), or living workers have another one
-- that is not. Where workers with the parked key live, too, one of them may take the task and let it wait again: then it is
-- tried only so often. Tasks that wait for a key that stays parked are not looked at, however many they are.
-- $1 limit, $2 a worker lives when it was seen within this many ms, $3 patience with workers of both kinds, in ms
WITH RECURSIVE waited_for(key) AS (
  (SELECT provider_key FROM waits WHERE satisfied_at IS NULL AND provider_key IS NOT NULL ORDER BY provider_key LIMIT 1)
  UNION ALL
  SELECT (SELECT w.provider_key FROM waits w WHERE w.satisfied_at IS NULL AND w.provider_key > waited_for.key ORDER BY w.provider_key LIMIT 1)
  FROM waited_for WHERE waited_for.key IS NOT NULL
), live AS (
  SELECT w.provider_key AS key, bool_or(k.parked_at IS NOT NULL) AS parked
  FROM workers w LEFT JOIN provider_keys k ON k.id = w.provider_key
  WHERE w.stopped_at IS NULL AND w.seen_at > now() - $2::int * interval '1 millisecond' AND w.provider_key IS NOT NULL
  GROUP BY w.provider_key
), judged AS (
  SELECT key, EXISTS (SELECT FROM provider_keys k WHERE k.id = key AND k.parked_at IS NOT NULL) AS parked,
    EXISTS (SELECT FROM live WHERE NOT live.parked AND live.key <> waited_for.key) AS replaced,
    EXISTS (SELECT FROM live WHERE live.key = waited_for.key) AS used
  FROM waited_for WHERE key IS NOT NULL
), open AS (
  -- Waits that began before this need not go on.
  SELECT key, CASE WHEN parked AND used THEN now() - $3::int * interval '1 millisecond' ELSE 'infinity' END AS before
  FROM judged WHERE NOT parked OR replaced
), found AS MATERIALIZED (
  SELECT w.id, w.task_id FROM open CROSS JOIN LATERAL (
    SELECT id, task_id, created_at FROM waits
    WHERE satisfied_at IS NULL AND provider_key = open.key AND created_at < open.before ORDER BY created_at LIMIT $1) w
  ORDER BY w.created_at LIMIT $1
), held AS MATERIALIZED (
  SELECT t.id, found.id AS wait_id, t.state = 'waiting' AND t.wait_id = found.id AS waits
  FROM found CROSS JOIN LATERAL (SELECT id, state, wait_id FROM tasks WHERE id = found.task_id FOR NO KEY UPDATE SKIP LOCKED) t
), satisfied AS (
  -- Those of paused tasks as well: they find their wait over when they go on.
  UPDATE waits SET satisfied_at = now() WHERE id = ANY (array(SELECT wait_id FROM held)) AND satisfied_at IS NULL
), ready AS (
  SELECT id FROM held WHERE waits
-- [part wake]
)
SELECT id, root_id, tenant_id, event_seq, wake FROM moved
