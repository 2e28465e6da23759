-- Somebody has seen to the key: it may be used again. $1 id
UPDATE provider_keys SET parked_at = NULL, parked_class = NULL, parked_message = NULL, paused_until = NULL, paused_reason = NULL,
  updated_at = now()
WHERE id = $1 RETURNING id
