-- Root tasks and their budget accounts; one or many.
-- $1 [{id, tenantId, title, agent, model, definition, prompt, input, workspace, contextItems, priority, tags, metadata, runAt, deadlineAt, retryOfId,
--     messageId, messageText, limitNanoUsd}]
WITH newborn AS (
  SELECT *, id AS "rootId", NULL AS "parentId", NULL AS "callId", 0 AS depth, NULL AS "workspaceId", 'queued'::task_state AS state
  FROM json_to_recordset($1::json) AS g(id text, "tenantId" text, title text, agent text, model text, definition json, prompt text, input json,
    workspace json, "contextItems" json, priority int, tags text[], metadata jsonb, "runAt" timestamptz, "deadlineAt" timestamptz, "retryOfId" text,
    "messageId" text, "messageText" text, "limitNanoUsd" bigint)
-- [part birth]
), account AS (
  INSERT INTO budget_accounts (root_id, limit_nano_usd) SELECT id, "limitNanoUsd" FROM newborn
)
-- Not read off the stored time: it is rounded to milliseconds, and may lie half of one ahead.
SELECT id, root_id, tenant_id, event_seq, CASE WHEN "runAt" IS NULL OR "runAt" <= now() THEN 1 END AS wake, created_at FROM newborn JOIN born USING (id)
