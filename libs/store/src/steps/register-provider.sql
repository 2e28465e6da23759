-- A worker begins to use a key; gives its state as read-provider.sql does. Forgets keys that nobody has used for a month and
-- that nothing stands against: the local simulator has another address, and so another key, with every start. $1 id, $2 endpoint
WITH forgotten AS (
  DELETE FROM provider_keys k
  WHERE k.id <> $1 AND k.parked_at IS NULL AND k.updated_at < now() - interval '30 days' AND coalesce(k.paused_until < now(), true)
    AND NOT EXISTS (SELECT FROM workers w WHERE w.provider_key = k.id AND w.seen_at > now() - interval '30 days')
)
INSERT INTO provider_keys (id, endpoint) VALUES ($1, $2)
ON CONFLICT (id) DO UPDATE SET endpoint = excluded.endpoint
RETURNING parked_class, parked_message, paused_reason, paused_until::text AS pause_id,
  round(extract(epoch FROM paused_until - clock_timestamp()) * 1000)::float8 AS pause_ms
