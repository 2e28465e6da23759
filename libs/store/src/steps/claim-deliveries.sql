-- Takes deliveries that are due, for a time after which they count as lost. Each endpoint gets only so many at a time, so that one
-- that answers slowly holds up no other. Stored times are rounded to milliseconds: one that is due at this moment may lie half of one
-- ahead. $1 limit, $2 limit of one endpoint, $3 lease in ms, $4 endpoints that have enough (text[])
WITH candidates AS (
  SELECT d.id FROM webhook_endpoints e CROSS JOIN LATERAL (
    SELECT id, next_at FROM webhook_deliveries
    WHERE endpoint_id = e.id AND state = 'pending' AND next_at <= now() + interval '500 microseconds' ORDER BY next_at, id LIMIT $2
  ) d
  WHERE e.disabled_at IS NULL AND NOT e.id = ANY ($4::text[])
  ORDER BY d.next_at, d.id LIMIT $1
), due AS (
  SELECT d.id FROM webhook_deliveries d JOIN candidates USING (id)
  WHERE d.state = 'pending' AND d.next_at <= now() + interval '500 microseconds' FOR NO KEY UPDATE OF d SKIP LOCKED
), taken AS (
  UPDATE webhook_deliveries d SET attempts = d.attempts + 1, started_at = now(), next_at = now() + $3::bigint * interval '1 ms'
  FROM due WHERE d.id = due.id
  RETURNING d.id, d.endpoint_id, d.type, d.payload, d.attempts, d.attempts_before
)
SELECT t.id, t.endpoint_id, t.type, t.payload, t.attempts, t.attempts_before, now() AS at, e.url,
  array(SELECT s.secret FROM webhook_secrets s WHERE s.endpoint_id = e.id AND (s.expires_at IS NULL OR s.expires_at > now())
        ORDER BY s.created_at DESC) AS secrets
FROM taken t JOIN webhook_endpoints e ON e.id = t.endpoint_id
ORDER BY t.id
