-- The rows of steps. Each is numbered as its step is, and follows that fence only: of two runs of one task, in one process and so in one statement, one is stale.
), said AS (
  INSERT INTO api_messages (id, task_id, seq, turn, role, content, stop_reason, context_tokens, reduction, epoch)
  SELECT m."id", fence.id, m."seq", m."turn", m."role", m."content", m."stopReason", m."contextTokens", m."reduction", fence.epoch
  FROM fence JOIN json_to_recordset($3::json) AS m("number" int, "id" text, "seq" int, "turn" int, "role" message_role, "content" json, "stopReason" text,
    "contextTokens" int, "reduction" json) ON m."number" = fence.number
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data, epoch)
  SELECT fence.id, fence.told_before + CASE WHEN fence.stopping THEN e."placeIfStopping" ELSE e."place" END, fence.root_id, fence.tenant_id,
    e."type",
    CASE WHEN e."type" = 'task.status_changed' AND (fence.state = 'paused' OR (fence.state = 'queued' AND e."data" ->> 'to' = 'paused'))
        THEN json_build_object('from', 'running', 'to', fence.state)
      ELSE e."data" END,
    fence.epoch
  FROM fence JOIN json_to_recordset($4::json) AS e("number" int, "type" text, "data" json, "place" int, "placeIfStopping" int) ON e."number" = fence.number
  WHERE NOT fence.stopping OR e."type" NOT IN ('tool.started', 'workspace.setup_started')
), asked AS (
  INSERT INTO model_calls (id, task_id, turn, attempt, task_attempt, phase, profile, model, status, request_hash, request_messages, reserved_nano_usd,
    context, first_byte_ms, first_text_ms, provider_request_id, stop_reason, error_class, error_message, retry_delay_ms, started_at, ended_at)
  SELECT c."id", fence.id, c."turn", c."attempt", c."taskAttempt", c."phase", c."profile", c."model", c."status", c."requestHash", c."requestMessages", c."reservedNanoUsd",
    c."context", c."firstByteMs", c."firstTextMs", c."providerRequestId", c."stopReason", c."errorClass", c."errorMessage", c."retryDelayMs", c."startedAt", c."endedAt"
  FROM fence JOIN json_to_recordset($5::json) AS c("number" int, "id" text, "turn" int, "attempt" int, "taskAttempt" int, "phase" text, "profile" text, "model" text, "status" model_call_status,
    "requestHash" text, "requestMessages" int, "reservedNanoUsd" bigint, "context" json, "firstByteMs" int, "firstTextMs" int, "providerRequestId" text, "stopReason" text, "errorClass" text,
    "errorMessage" text, "retryDelayMs" int, "startedAt" timestamptz, "endedAt" timestamptz) ON c."number" = fence.number
  ON CONFLICT (id) DO UPDATE SET status = excluded.status, reserved_nano_usd = excluded.reserved_nano_usd, context = excluded.context,
    first_byte_ms = excluded.first_byte_ms, first_text_ms = excluded.first_text_ms,
    provider_request_id = excluded.provider_request_id, stop_reason = excluded.stop_reason, error_class = excluded.error_class,
    error_message = excluded.error_message, retry_delay_ms = excluded.retry_delay_ms, ended_at = excluded.ended_at
), called AS (
  -- A cancel or a pause that came first keeps every call from starting: the intent is stored as not started.
  INSERT INTO tool_calls (id, task_id, message_id, turn, position, tool_use_id, tool, status, raw_arguments, arguments, approval, output,
    full_output, media, is_error, child_task_id, completes_task, started_epoch, sandbox, started_at, ended_at)
  SELECT c."id", fence.id, c."messageId", c."turn", c."position", c."toolUseId", c."tool",
    CASE WHEN c."status" = 'calling' AND fence.stopping THEN 'generated' ELSE c."status" END,
    c."rawArguments", c."arguments", c."approval", c."output", c."fullOutput", c."media", c."isError", c."childTaskId", c."completesTask",
    CASE WHEN c."status" = 'calling' AND fence.stopping THEN NULL ELSE c."startedEpoch" END,
    c."sandbox",
    CASE WHEN c."status" = 'calling' AND fence.stopping THEN NULL ELSE c."startedAt" END,
    c."endedAt"
  FROM fence JOIN json_to_recordset($6::json) AS c("number" int, "id" text, "messageId" text, "turn" int, "position" int, "toolUseId" text, "tool" text,
    "status" tool_call_status, "rawArguments" text, "arguments" json, "approval" json, "output" text, "fullOutput" text, "media" json, "isError" boolean,
    "childTaskId" text, "completesTask" boolean, "startedEpoch" int, "sandbox" text, "startedAt" timestamptz, "endedAt" timestamptz) ON c."number" = fence.number
  -- One that a lost worker had started stays started.
  ON CONFLICT (id) DO UPDATE SET status = CASE WHEN excluded.status = 'generated' AND tool_calls.status = 'calling' THEN 'calling' ELSE excluded.status END,
    arguments = excluded.arguments, approval = excluded.approval, output = excluded.output,
    full_output = excluded.full_output, media = excluded.media, is_error = excluded.is_error, child_task_id = excluded.child_task_id,
    completes_task = excluded.completes_task,
    -- A call that a lost worker had started keeps that first start.
    started_epoch = coalesce(excluded.started_epoch, tool_calls.started_epoch), sandbox = coalesce(excluded.sandbox, tool_calls.sandbox),
    started_at = coalesce(tool_calls.started_at, excluded.started_at), ended_at = excluded.ended_at
), charged AS (
  INSERT INTO usage_records (model_call_id, task_id, root_id, tenant_id, agent, model, input_tokens, output_tokens, cache_read_tokens,
    cache_write_5m_tokens, cache_write_1h_tokens, cost_nano_usd, price, estimated, simulated)
  SELECT u."modelCallId", fence.id, fence.root_id, fence.tenant_id, fence.agent, u."model", u."inputTokens", u."outputTokens", u."cacheReadTokens",
    u."cacheWrite5mTokens", u."cacheWrite1hTokens", u."costNanoUsd", u."price", u."estimated", u."simulated"
  FROM fence JOIN json_to_recordset($7::json) AS u("number" int, "modelCallId" text, "model" text, "inputTokens" bigint, "outputTokens" bigint,
    "cacheReadTokens" bigint, "cacheWrite5mTokens" bigint, "cacheWrite1hTokens" bigint, "costNanoUsd" bigint, "price" json, "estimated" boolean,
    "simulated" boolean) ON u."number" = fence.number
