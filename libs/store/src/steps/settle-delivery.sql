-- Stores what an attempt met, and what follows for its delivery. An attempt that was given up on as lost, and is not, may still say
-- that the message arrived; for the rest, the newest attempt counts.
-- $1 id, $2 number, $3 at, $4 status, $5 duration in ms, $6 error, $7 response, $8 delivered | retry | failed, $9 ms until the next one
WITH logged AS (
  INSERT INTO webhook_attempts (delivery_id, number, at, status, duration_ms, error, response)
  SELECT id, $2, $3, $4, $5, $6, $7 FROM webhook_deliveries WHERE id = $1
  ON CONFLICT DO NOTHING
)
UPDATE webhook_deliveries SET
  state = CASE WHEN $8::text = 'retry' THEN 'pending' ELSE $8::text::webhook_delivery_state END,
  next_at = CASE WHEN $8::text = 'retry' THEN now() + $9::bigint * interval '1 ms' ELSE next_at END,
  ended_at = CASE WHEN $8::text <> 'retry' THEN now() END,
  started_at = NULL, last_status = $4, last_error = $6
WHERE id = $1 AND ((state = 'pending' AND attempts = $2) OR (state <> 'delivered' AND $8::text = 'delivered'))
