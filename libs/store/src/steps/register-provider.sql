-- A worker begins to use a key. Forgets keys that nobody has used for a month and that nothing stands against: the local simulator
-- has another address, and so another key, with every start. $1 id, $2 endpoint
WITH forgotten AS (
  DELETE FROM provider_keys k
  WHERE k.id <> $1 AND k.parked_at IS NULL AND k.updated_at < now() - interval '30 days'
    AND NOT EXISTS (SELECT FROM provider_pauses p WHERE p.key_id = k.id AND p.until > now())
    AND NOT EXISTS (SELECT FROM workers w WHERE w.provider_key = k.id AND w.seen_at > now() - interval '30 days')
)
INSERT INTO provider_keys (id, endpoint) VALUES ($1, $2)
ON CONFLICT (id) DO UPDATE SET endpoint = excluded.endpoint
