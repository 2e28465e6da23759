-- Root tasks and their budget accounts; one or many. With a claim, the answer to its idempotency key is stored as well; nothing is born whose
-- claim somebody else has taken over.
-- $1 [{id, tenantId, title, agent, model, definition, prompt, input, workspace, contextItems, priority, tags, metadata, runAt, deadlineAt, retryOfId,
--     messageId, messageText, limitNanoUsd, claim: {key, since}, answer: {status, location, response}}]
WITH given AS (
  SELECT * FROM json_to_recordset($1::json) AS g(id text, "tenantId" text, title text, agent text, model text, definition json, prompt text, input json,
    workspace json, "contextItems" json, priority int, tags text[], metadata jsonb, "runAt" timestamptz, "deadlineAt" timestamptz, "retryOfId" text,
    "messageId" text, "messageText" text, "limitNanoUsd" bigint, claim json, answer json)
), answered AS (
  UPDATE idempotency_keys k SET status = (g.answer ->> 'status')::int, location = g.answer ->> 'location', response = g.answer -> 'response'
  FROM given g
  WHERE k.tenant_id = g."tenantId" AND k.key = g.claim ->> 'key' AND k.created_at = (g.claim ->> 'since')::timestamptz AND k.status IS NULL
  RETURNING g.id
), newborn AS (
  SELECT *, id AS "rootId", NULL AS "parentId", NULL AS "callId", 0 AS depth, NULL AS "workspaceId", 'queued'::task_state AS state
  FROM given WHERE claim IS NULL OR id IN (SELECT id FROM answered)
-- [part birth]
), account AS (
  INSERT INTO budget_accounts (root_id, limit_nano_usd) SELECT id, "limitNanoUsd" FROM newborn
)
-- Not read off the stored time: it is rounded to milliseconds, and may lie half of one ahead.
SELECT id, root_id, tenant_id, event_seq, CASE WHEN "runAt" IS NULL OR "runAt" <= now() THEN 1 END AS wake, created_at FROM newborn JOIN born USING (id)
