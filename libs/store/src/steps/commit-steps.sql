-- The usual steps of many running tasks, in one statement and one commit: the lean form of `commit-step`, for many. It only stores. A step whose fence is not
-- there, whose account has no room, or whose row somebody else holds is left out and takes no other with it; asked again alone, it is told why.
-- $1 to $25 as in commit-step.sql: $3 to $7 hold the rows of all steps, each other parameter an array with one value for each step.
-- Nothing here waits for a row while it holds others, so it can never be part of a deadlock. What locks is a subquery of its own, without the state: a join would
-- be free to read a whole table, or all that runs, for each step, where these were few when the plan was made.
-- Result: what the row says of each step that was stored
WITH given AS (
  SELECT * FROM unnest($25::int[], $1::text[], $2::int[], $8::bigint[], $9::bigint[], $10::int[], $11::int[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],
    $16::bigint[], $17::bigint[], $18::bigint[], $19::int[], $20::int[], $21::int[], $22::text[], $23::text[], $24::int[])
    AS g(number, task_id, epoch, reserve, release, turns, mistakes, active_ms, input_tokens, output_tokens, cache_read_tokens,
      cache_write_5m_tokens, cache_write_1h_tokens, spent, messages, events, events_if_stopping, workspace_path, sandbox, calls)
), locked AS (
  SELECT given.*, reserve <> 0 OR release <> 0 OR spent <> 0 AS pays, t.place, t.root_id, t.told_before, t.stopping
  FROM given CROSS JOIN LATERAL (
    SELECT ctid AS place, root_id, epoch, state, event_seq AS told_before, cancel_requested_at IS NOT NULL OR pause_requested_at IS NOT NULL AS stopping
    FROM tasks WHERE id = given.task_id
    FOR NO KEY UPDATE SKIP LOCKED) t
  WHERE t.epoch = given.epoch AND (t.state = 'running') IS TRUE
), bill AS (
  SELECT root_id, sum(reserve)::bigint AS reserve, sum(release)::bigint AS release, sum(spent)::bigint AS spent FROM locked WHERE pays GROUP BY root_id
), account AS (
  -- Where there is not room for all of a tree, each is tried alone.
  SELECT bill.root_id
  FROM bill CROSS JOIN LATERAL (
    SELECT limit_nano_usd, spent_nano_usd, reserved_nano_usd FROM budget_accounts WHERE root_id = bill.root_id
    FOR NO KEY UPDATE SKIP LOCKED) a
  WHERE bill.reserve = 0 OR a.limit_nano_usd IS NULL
    OR a.spent_nano_usd + bill.spent + a.reserved_nano_usd - bill.release + bill.reserve <= a.limit_nano_usd
), fence AS (
  UPDATE tasks t SET
    event_seq = t.event_seq + CASE WHEN locked.stopping THEN locked.events_if_stopping ELSE locked.events END,
    message_seq = t.message_seq + locked.messages,
    turns = coalesce(locked.turns, t.turns),
    mistakes = coalesce(locked.mistakes, t.mistakes),
    active_ms = coalesce(locked.active_ms, t.active_ms),
    workspace_path = coalesce(locked.workspace_path, t.workspace_path),
    sandbox = coalesce(locked.sandbox, t.sandbox),
    input_tokens = t.input_tokens + locked.input_tokens,
    output_tokens = t.output_tokens + locked.output_tokens,
    cache_read_tokens = t.cache_read_tokens + locked.cache_read_tokens,
    cache_write_5m_tokens = t.cache_write_5m_tokens + locked.cache_write_5m_tokens,
    cache_write_1h_tokens = t.cache_write_1h_tokens + locked.cache_write_1h_tokens,
    cost_nano_usd = t.cost_nano_usd + locked.spent,
    crashes = CASE WHEN locked.messages > 0 OR locked.calls > 0 THEN 0 ELSE t.crashes END,
    updated_at = now()
  FROM locked LEFT JOIN account ON account.root_id = locked.root_id
  WHERE t.ctid = locked.place AND (NOT locked.pays OR account.root_id IS NOT NULL)
  RETURNING t.id, t.root_id, t.tenant_id, t.agent, t.epoch, t.wake, t.state, t.event_seq, t.inbox_pending, t.child_count,
    t.cancel_requested_at IS NOT NULL AS cancel_requested, t.pause_requested_at IS NOT NULL AS pause_requested,
    t.interrupted_at IS NOT NULL AS interrupted, t.rollback_requested AS rollback, t.autonomy, t.route, t.mode_seq, locked.stopping, locked.told_before,
    locked.number, locked.reserve, locked.release, locked.spent
), paid AS (
  UPDATE budget_accounts a SET
    reserved_nano_usd = a.reserved_nano_usd + b.reserve - b.release,
    spent_nano_usd = a.spent_nano_usd + b.spent
  FROM (SELECT root_id, sum(reserve)::bigint AS reserve, sum(release)::bigint AS release, sum(spent)::bigint AS spent FROM fence GROUP BY root_id) b
  WHERE a.root_id = b.root_id AND (b.reserve <> 0 OR b.release <> 0 OR b.spent <> 0)
-- [part step_rows]
)
SELECT number, root_id, tenant_id, wake, state, event_seq, cancel_requested, pause_requested, interrupted, rollback, autonomy, route, mode_seq, stopping,
  inbox_pending, child_count, true AS stored
FROM fence
