-- No request with this key for a model, for a time, by the database's clock; a longer pause stays.
-- $1 id, $2 endpoint, $3 for ms, $4 error class, $5 model
WITH known AS (
  INSERT INTO provider_keys (id, endpoint) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING
)
INSERT INTO provider_pauses AS p (key_id, model, until, reason)
VALUES ($1, $5, clock_timestamp() + $3::float8 * interval '1 millisecond', $4)
ON CONFLICT (key_id, model) DO UPDATE SET
  until = greatest(p.until, excluded.until),
  reason = CASE WHEN p.until >= excluded.until THEN p.reason ELSE excluded.reason END,
  -- When the present pause began: one that goes on longer began before.
  since = CASE WHEN p.until > clock_timestamp() THEN p.since ELSE clock_timestamp() END
