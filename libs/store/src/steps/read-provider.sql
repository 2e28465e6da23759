-- The state of a key. `pause_id` tells pauses apart; `pause_ms` is what is left of the newest by the database's clock, negative
-- when it is over. $1 id
SELECT parked_class, parked_message, paused_reason, paused_until::text AS pause_id,
  round(extract(epoch FROM paused_until - clock_timestamp()) * 1000)::float8 AS pause_ms
FROM provider_keys WHERE id = $1
