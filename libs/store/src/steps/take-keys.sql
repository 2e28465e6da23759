-- Takes idempotency keys for requests, each once. $1 [{tenantId, key, requestHash}], $2 ms that an answer is kept, $3 ms after which a request in flight is dead
-- Result: those taken, and since when
INSERT INTO idempotency_keys AS known (tenant_id, key, request_hash, created_at)
-- In the order of the keys: two processes that want the same ones then wait for each other in turn.
SELECT "tenantId", key, "requestHash", clock_timestamp() FROM json_to_recordset($1::json) AS g("tenantId" text, key text, "requestHash" text) ORDER BY "tenantId", key
ON CONFLICT (tenant_id, key) DO UPDATE
  SET request_hash = excluded.request_hash, status = NULL, response = NULL, location = NULL, created_at = excluded.created_at
  WHERE known.created_at < clock_timestamp() - $2 * interval '1 ms'
    OR (known.status IS NULL AND known.request_hash = excluded.request_hash AND known.created_at < clock_timestamp() - $3 * interval '1 ms')
-- Nobody waits for the disk: whatever the request commits comes after this in the log, so that it is never there without its key.
RETURNING tenant_id || ' ' || key AS name, created_at AS since, set_config('synchronous_commit', 'off', true)
