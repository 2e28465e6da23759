-- One durable step of a running task: everything below happens, or nothing. The fence is the task row: it must have this epoch,
-- be running, and (when the step asks for it) have no undelivered messages and enough money in the tree's account.
-- $1 task id, $2 epoch
-- $3 messages  [{number, id, seq, turn, role, content, stopReason, contextTokens, reduction}]
-- $4 events    [{number, type, data, place, placeIfStopping}]: places among the step's events; the second one does not count starts of tools
-- $5 modelCalls, $6 toolCalls, $7 usage (rows as in the tables; see task-rows.ts)
-- $8 reserve, $9 release (nano-dollars)
-- $10 turns, $11 mistakes, $12 active ms; null: unchanged
-- $13 input, $14 output, $15 cache read, $16 and $17 cache write tokens, $18 nano-dollars: the sums of $7
-- $19 number of messages, $20 of events, $21 of events without starts of tools
-- $22 workspace path, $23 what holds the programs of the task; null: unchanged
-- $24 number of tool calls, $25 number of the step, as in its rows
-- Not in the lean form:
-- $26 patch     {phase, pendingCause, setPendingCause, repairs, todos, interrupted, autonomy, route, takenOver, workspaceEpoch, briefing, modeContext}
-- $27 ids of delivered inbox messages (text[])
-- $28 end      {state, waitReason, waitId, output, partial, cause, failure, nextAttempt, requireEmptyInbox} or null
-- $29 more      {open: [{id, kind, callId, hash, title, turn, payload, expiresInMs, expiryAnswer}], withdrawn: [ids], dropFrom: messages from this
--               seq on are dropped, or null, checkpoints: rows as in the table, setups: [{workspaceId, epoch, state, text}],
--               transition: {seq, from, to, trigger, source, by, reason, refusal, possible}, missing where there is none}
-- Only in the whole form, and last for that reason: a parameter that a form does not name may not come before one that it names.
-- $30 children
-- Where a pause was requested, a task that would wait or be queued is paused instead.
-- There are two shorter forms, because setting up a part costs time even when it finds nothing to do: `commit-step-childless` is without
-- the parts between [children] lines, `commit-step-lean` without those between [rare] lines, too: for the usual step, without delivered
-- messages, interactions, rare changes of the row, and end; `commit-steps` is the lean form for many tasks at once. Sums and numbers of rows come as parameters for
-- the same reason: each look into a JSON text parses all of it.
-- Result: no row when the fence was not there; otherwise whether the step was stored, what the row says then, and if not, why
WITH
-- [rare]
patch AS (
  SELECT * FROM json_to_record($26::json) AS p(
    "phase" text, "pendingCause" text, "setPendingCause" boolean, "repairs" int, "todos" jsonb, "interrupted" boolean, "autonomy" text, "takenOver" boolean,
    "workspaceEpoch" int, "route" json, "briefing" json, "modeContext" json)
), ending AS (
  SELECT * FROM json_to_record(coalesce($28::json, '{}'::json)) AS e(
    "state" task_state, "waitReason" wait_reason, "waitId" text, "output" json, "partial" boolean, "cause" text, "failure" json,
    "nextAttempt" boolean, "requireEmptyInbox" boolean)
), moving AS (
  SELECT * FROM json_to_record(coalesce($29::json -> 'transition', '{}'::json)) AS m(
    "seq" int, "from" text, "to" text, "trigger" text, "source" text, "by" text, "reason" text, "refusal" text, "possible" json)
),
-- [/rare]
locked AS (
  SELECT id, root_id, event_seq, mode_seq, inbox_pending, pause_requested_at IS NOT NULL AND cancel_requested_at IS NULL AS pausing,
    cancel_requested_at IS NOT NULL OR pause_requested_at IS NOT NULL AS stopping
  FROM tasks
  WHERE id = $1 AND epoch = $2 AND state = 'running'
  FOR NO KEY UPDATE
-- [rare]
), target AS (
  SELECT CASE WHEN locked.pausing AND ending."state" IN ('waiting', 'queued') THEN 'paused'
    -- Somebody resumed or cancelled it since the run learned of the pause: another run goes on, or ends it.
    WHEN ending."state" = 'paused' AND NOT locked.pausing THEN 'queued'
    ELSE ending."state" END AS state FROM ending, locked
-- [/rare]
), account AS (
  UPDATE budget_accounts a SET
    reserved_nano_usd = a.reserved_nano_usd + $8::bigint - $9::bigint,
    spent_nano_usd = a.spent_nano_usd + $18::bigint
  FROM locked
  WHERE a.root_id = locked.root_id
    AND ($8::bigint <> 0 OR $9::bigint <> 0 OR $18::bigint <> 0)
    AND ($8::bigint = 0 OR a.limit_nano_usd IS NULL
         OR a.spent_nano_usd + $18::bigint + a.reserved_nano_usd - $9::bigint + $8::bigint <= a.limit_nano_usd)
-- [rare]
    AND (NOT coalesce((SELECT "requireEmptyInbox" FROM ending), false) OR locked.inbox_pending = cardinality($27::text[]))
    AND coalesce((SELECT "seq" FROM moving) = locked.mode_seq + 1, true)
-- [/rare]
  RETURNING a.root_id
), fence AS (
  UPDATE tasks t SET
    -- A cancel or a pause that came first keeps tools from starting, so their starts are no events either.
    event_seq = t.event_seq + CASE WHEN locked.stopping THEN $21::int ELSE $20::int END,
    message_seq = t.message_seq + $19::int,
    turns = coalesce($10::int, t.turns),
    mistakes = coalesce($11::int, t.mistakes),
    active_ms = coalesce($12::bigint, t.active_ms),
    workspace_path = coalesce($22::text, t.workspace_path),
    sandbox = coalesce($23::text, t.sandbox),
    input_tokens = t.input_tokens + $13::bigint,
    output_tokens = t.output_tokens + $14::bigint,
    cache_read_tokens = t.cache_read_tokens + $15::bigint,
    cache_write_5m_tokens = t.cache_write_5m_tokens + $16::bigint,
    cache_write_1h_tokens = t.cache_write_1h_tokens + $17::bigint,
    cost_nano_usd = t.cost_nano_usd + $18::bigint,
    crashes = CASE WHEN $19::int > 0 OR $24::int > 0 THEN 0 ELSE t.crashes END,
-- [rare]
-- [children]
    child_count = t.child_count + json_array_length($30::json),
-- [/children]
    inbox_pending = t.inbox_pending - cardinality($27::text[]),
    phase = coalesce(patch."phase", t.phase),
    pending_cause = CASE WHEN patch."setPendingCause" THEN patch."pendingCause" ELSE t.pending_cause END,
    repairs = coalesce(patch."repairs", t.repairs),
    todos = coalesce(patch."todos", t.todos),
    state = coalesce(target.state, t.state),
    attempt = t.attempt + coalesce(ending."nextAttempt", false)::int,
    retries = t.retries + coalesce(ending."nextAttempt", false)::int,
    wait_reason = CASE WHEN target.state = 'waiting' THEN ending."waitReason" END,
    wait_id = ending."waitId",
    wake = CASE WHEN target.state = 'queued' THEN t.wake + 1 ELSE t.wake END,
    pause_requested_at = CASE WHEN ending."state" IS NULL THEN t.pause_requested_at END,
    autonomy = coalesce(patch."autonomy", t.autonomy),
    route = CASE WHEN (patch."route" ->> 'version')::int = coalesce((t.route ->> 'version')::int, 0) + 1 THEN patch."route" ELSE t.route END,
    workspace_epoch = coalesce(patch."workspaceEpoch", t.workspace_epoch),
    briefing = coalesce(patch."briefing", t.briefing),
    mode = coalesce(moving."to", t.mode),
    mode_seq = coalesce(moving."seq", t.mode_seq),
    mode_context = coalesce(patch."modeContext", t.mode_context),
    interrupted_at = CASE WHEN patch."interrupted" IS FALSE THEN NULL ELSE t.interrupted_at END,
    rollback_requested = t.rollback_requested AND patch."interrupted" IS NOT FALSE,
    worker_id = CASE WHEN ending."state" IS NULL THEN t.worker_id END,
    left_by = CASE WHEN ending."state" IS NULL AND patch."takenOver" IS NOT TRUE THEN t.left_by END,
    lease_expires_at = CASE WHEN ending."state" IS NULL THEN t.lease_expires_at END,
    output = CASE WHEN ending."cause" IS NULL THEN t.output ELSE ending."output" END,
    partial = coalesce(ending."partial", t.partial),
    stop_cause = coalesce(ending."cause", t.stop_cause),
    failure = CASE WHEN ending."cause" IS NULL THEN t.failure ELSE ending."failure" END,
    ended_at = CASE WHEN ending."cause" IS NULL THEN t.ended_at ELSE now() END,
-- [/rare]
    updated_at = now()
  FROM locked
-- [rare]
    CROSS JOIN patch CROSS JOIN ending CROSS JOIN moving CROSS JOIN target
-- [/rare]
  WHERE t.id = $1 AND t.id = locked.id
-- [rare]
    AND (NOT coalesce(ending."requireEmptyInbox", false) OR locked.inbox_pending = cardinality($27::text[]))
    AND coalesce(moving."seq" = locked.mode_seq + 1, true)
-- [/rare]
    AND (($8::bigint = 0 AND $9::bigint = 0 AND $18::bigint = 0) OR EXISTS (SELECT FROM account))
  RETURNING t.id, t.root_id, t.tenant_id, t.agent, t.epoch, t.wake, t.state, t.event_seq, t.inbox_pending, t.child_count,
-- [rare]
    t.attempt, t.depth, t.priority, t.workspace, t.workspace_id, t.message_seq, locked.pausing,
-- [/rare]
    t.cancel_requested_at IS NOT NULL AS cancel_requested, t.pause_requested_at IS NOT NULL AS pause_requested,
    t.interrupted_at IS NOT NULL AS interrupted, t.rollback_requested AS rollback, t.autonomy, t.route, t.mode_seq, locked.stopping, locked.event_seq AS told_before,
    $25::int AS number
-- [part step_rows]
-- [rare]
-- [children]
), newborn AS (
  -- A child of a task that is to stop is born stopped: cancelled, so that nothing of it ever runs, or paused with its tree.
  SELECT c.*, fence.tenant_id AS "tenantId", fence.root_id AS "rootId", fence.id AS "parentId", fence.depth + 1 AS depth, fence.workspace, fence.priority,
    '{}'::text[] AS tags, '{}'::jsonb AS metadata, NULL::timestamptz AS "runAt", NULL::timestamptz AS "deadlineAt", NULL AS "retryOfId", NULL::json AS "contextItems",
    CASE WHEN c.base IS NULL THEN fence.workspace_id ELSE c.id END AS "workspaceId",
    CASE WHEN fence.cancel_requested THEN 'cancelled' WHEN fence.pausing THEN 'paused' ELSE 'queued' END::task_state AS state
  FROM fence, json_to_recordset($30::json) AS c(id text, "callId" text, title text, agent text, model text, definition json, prompt text, input json,
    "messageId" text, "messageText" text, base text)
-- [part birth]
), own_workspaces AS (
  INSERT INTO workspaces (id, root_id, base) SELECT id, "rootId", base FROM newborn WHERE base IS NOT NULL
-- [/children]
), requeued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority)
  SELECT id, wake, tenant_id, priority FROM fence WHERE state = 'queued'
), heard AS (
  UPDATE inbox_messages i SET delivered_at = now() FROM fence WHERE i.task_id = fence.id AND i.id = ANY ($27::text[])
), attempted AS (
  UPDATE attempts a SET ended_at = now(), outcome = coalesce(ending."cause", ending."failure" ->> 'cause'), failure = ending."failure"
  FROM fence, ending
  WHERE a.task_id = fence.id AND a.number = fence.attempt - coalesce(ending."nextAttempt", false)::int
    AND (ending."cause" IS NOT NULL OR ending."nextAttempt")
), opened AS (
  INSERT INTO interactions (id, task_id, root_id, tenant_id, kind, tool_call_id, arguments_hash, title, turn, payload, expires_at, expiry_answer)
  SELECT i."id", fence.id, fence.root_id, fence.tenant_id, i."kind", i."callId", i."hash", i."title", i."turn", i."payload",
    now() + i."expiresInMs" * interval '1 millisecond', i."expiryAnswer"
  FROM fence, json_to_recordset($29::json -> 'open') AS i("id" text, "kind" interaction_kind, "callId" text, "hash" text, "title" text, "turn" int,
    "payload" json, "expiresInMs" bigint, "expiryAnswer" json)
), withdrawn AS (
  UPDATE interactions i SET withdrawn_at = now() FROM fence
  WHERE i.task_id = fence.id AND coalesce(i.answered_at, i.withdrawn_at) IS NULL
    AND i.id IN (SELECT json_array_elements_text($29::json -> 'withdrawn'))
), stored AS (
  INSERT INTO checkpoints (id, task_id, root_id, tenant_id, workspace_id, parent_id, reason, note, turn, message_seq, event_seq, commit, files,
    diffstat, changes, left_out, bytes)
  SELECT c."id", fence.id, fence.root_id, fence.tenant_id, c."workspaceId", c."parentId", c."reason", c."note", c."turn", fence.message_seq,
    fence.event_seq, c."commit", c."files", c."diffstat", c."changes", c."leftOut", c."bytes"
  FROM fence, json_to_recordset($29::json -> 'checkpoints') AS c("id" text, "workspaceId" text, "parentId" text, "reason" text, "note" text,
    "turn" int, "commit" text, "files" int, "diffstat" json, "changes" json, "leftOut" json, "bytes" bigint)
), entered AS (
  INSERT INTO mode_transitions (task_id, seq, "from", trigger, "to", source, by, reason, refusal, possible, epoch)
  SELECT fence.id, moving."seq", moving."from", moving."trigger", moving."to", moving."source", moving."by", moving."reason", moving."refusal",
    ARRAY(SELECT json_array_elements_text(moving."possible")), fence.epoch
  FROM fence, moving WHERE moving."seq" IS NOT NULL
), set_up AS (
  UPDATE workspaces w SET setup = json_build_object('epoch', s."epoch", 'state', s."state", 'text', s."text")
  FROM fence, json_to_recordset($29::json -> 'setups') AS s("workspaceId" text, "epoch" int, "state" text, "text" text)
  WHERE w.id = s."workspaceId" AND w.root_id = fence.root_id AND w.epoch = s."epoch"
), dropped AS (
  UPDATE api_messages m SET dropped_at = now() FROM fence
  WHERE m.task_id = fence.id AND m.seq >= ($29::json ->> 'dropFrom')::int AND m.dropped_at IS NULL
-- [/rare]
)
SELECT
  fence.id IS NOT NULL AS stored, fence.root_id, fence.tenant_id, fence.wake, fence.state, fence.event_seq, fence.cancel_requested,
  fence.pause_requested, fence.interrupted, fence.rollback, fence.autonomy, fence.route, fence.mode_seq, fence.stopping, fence.inbox_pending, fence.child_count,
  (SELECT json_build_object('limit', limit_nano_usd::text, 'spent', spent_nano_usd::text, 'reserved', reserved_nano_usd::text)
   FROM budget_accounts b WHERE b.root_id = locked.root_id AND fence.id IS NULL) AS account,
  locked.inbox_pending AS locked_inbox_pending, locked.mode_seq AS locked_mode_seq
FROM locked LEFT JOIN fence ON true
