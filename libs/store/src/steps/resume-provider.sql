-- Somebody has seen to the key: it may be used again, for all models. $1 id
WITH ended AS (
  DELETE FROM provider_pauses WHERE key_id = $1
)
UPDATE provider_keys SET parked_at = NULL, parked_class = NULL, parked_message = NULL, updated_at = now()
WHERE id = $1 RETURNING id
