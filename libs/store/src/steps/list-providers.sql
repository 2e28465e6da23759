-- Keys that living workers use, that tasks wait for, or that something stands against. $1 id, or null for all of them;
-- $2 a worker lives when it was seen within this many ms
SELECT k.id, k.endpoint, k.parked_at, k.parked_class, k.parked_message,
  p.reason AS paused_reason, p.until AS paused_until, p.since AS paused_since, coalesce(p.models, '{}') AS paused_models,
  coalesce(w.waiting, 0)::int AS waiting, coalesce(u.workers, 0)::int AS workers
FROM provider_keys k
LEFT JOIN (
  SELECT w.provider_key, count(*) AS waiting FROM waits w JOIN tasks t ON t.id = w.task_id AND t.wait_id = w.id
  WHERE w.satisfied_at IS NULL AND w.provider_key IS NOT NULL AND t.state = 'waiting' GROUP BY w.provider_key
) w ON w.provider_key = k.id
LEFT JOIN (
  SELECT provider_key, count(*) AS workers FROM workers
  WHERE stopped_at IS NULL AND seen_at > now() - $2::int * interval '1 millisecond' GROUP BY provider_key
) u ON u.provider_key = k.id
LEFT JOIN (
  SELECT key_id, max(until) AS until, min(since) AS since, (array_agg(reason ORDER BY until DESC))[1] AS reason,
    array_agg(model ORDER BY model) AS models
  FROM provider_pauses WHERE until > now() GROUP BY key_id
) p ON p.key_id = k.id
WHERE k.id = $1::text OR ($1::text IS NULL AND (k.parked_at IS NOT NULL OR p.until IS NOT NULL OR w.waiting > 0 OR u.workers > 0))
ORDER BY k.created_at, k.id
