-- No request with this key until somebody resumes it; while it is parked the first reason stays.
-- $1 id, $2 endpoint, $3 error class, $4 message
INSERT INTO provider_keys AS k (id, endpoint, parked_at, parked_class, parked_message)
VALUES ($1, $2, now(), $3, $4)
ON CONFLICT (id) DO UPDATE SET
  parked_class = CASE WHEN k.parked_at IS NULL THEN excluded.parked_class ELSE k.parked_class END,
  parked_message = CASE WHEN k.parked_at IS NULL THEN excluded.parked_message ELSE k.parked_message END,
  updated_at = CASE WHEN k.parked_at IS NULL THEN now() ELSE k.updated_at END,
  parked_at = coalesce(k.parked_at, excluded.parked_at)
