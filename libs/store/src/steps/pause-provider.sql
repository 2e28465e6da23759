-- No request with this key for a time, by the database's clock; a longer pause stays. Gives the state as read-provider.sql does.
-- $1 id, $2 endpoint, $3 for ms, $4 error class
INSERT INTO provider_keys AS k (id, endpoint, paused_until, paused_reason)
VALUES ($1, $2, clock_timestamp() + $3::float8 * interval '1 millisecond', $4)
ON CONFLICT (id) DO UPDATE SET
  paused_until = greatest(k.paused_until, excluded.paused_until),
  paused_reason = CASE WHEN k.paused_until >= excluded.paused_until THEN k.paused_reason ELSE excluded.paused_reason END,
  -- When the present pause began: one that goes on longer began before.
  updated_at = CASE WHEN k.paused_until > clock_timestamp() THEN k.updated_at ELSE clock_timestamp() END
RETURNING parked_class, parked_message, paused_reason, paused_until::text AS pause_id,
  round(extract(epoch FROM paused_until - clock_timestamp()) * 1000)::float8 AS pause_ms
