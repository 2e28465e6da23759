-- Which of the leader's jobs may find something: one look for all of them, so that a job with nothing to do costs no round trip. None says no to
-- what its job would find. Each part reads one entry of the index that its job goes along; without the order the planner would read the table
-- until it meets a row, which may be the last.
-- $1 a wake that was announced is looked at again after this many ms, $2 a wake is shown as a delayed job from this many ms on
SELECT array_remove(ARRAY[
  -- Stored times are rounded to milliseconds: what is due at this moment may lie half of one ahead.
  CASE WHEN (
    SELECT true FROM dispatches WHERE announced_at IS NULL AND run_at <= now() + interval '500 microseconds' ORDER BY announced_at, run_at LIMIT 1
  ) THEN 'dispatch' END,
  CASE WHEN (
    SELECT true FROM tasks WHERE state = 'running' AND lease_expires_at < now() ORDER BY state, lease_expires_at LIMIT 1
  ) THEN 'expired_lease' END,
  CASE WHEN (
    SELECT true FROM waits WHERE satisfied_at IS NULL AND due_at <= now() ORDER BY due_at LIMIT 1
  ) THEN 'due_wait' END,
  CASE WHEN (
    SELECT true FROM waits WHERE satisfied_at IS NULL AND provider_key IS NOT NULL ORDER BY provider_key, created_at LIMIT 1
  ) THEN 'provider_wait' END,
  CASE WHEN (
    SELECT true FROM interactions WHERE kind = 'budget' AND answered_at IS NULL AND withdrawn_at IS NULL ORDER BY root_id, id LIMIT 1
  ) THEN 'budget_wait' END,
  CASE WHEN (
    SELECT true FROM dispatches WHERE announced_at < now() - $1::int * interval '1 ms' ORDER BY announced_at, run_at LIMIT 1
  ) THEN 'lost_announcement' END,
  CASE WHEN (
    SELECT true FROM interactions
    WHERE answered_at IS NULL AND withdrawn_at IS NULL AND expires_at <= now() AND expiry_answer IS NOT NULL ORDER BY expires_at LIMIT 1
  ) THEN 'expired_interaction' END,
  CASE WHEN (
    SELECT true FROM tasks WHERE deadline_at <= now() AND state IN ('queued', 'running', 'waiting', 'paused') ORDER BY deadline_at LIMIT 1
  ) THEN 'deadline' END,
  CASE WHEN (
    SELECT true FROM tasks WHERE state = 'waiting' ORDER BY id LIMIT 1
  ) THEN 'lost_wake' END,
  CASE WHEN (
    SELECT true FROM processes WHERE state = 'running' ORDER BY task_id LIMIT 1
  ) THEN 'lost_process' END,
  CASE WHEN (
    SELECT true FROM wait_edges WHERE closed_at IS NULL ORDER BY child_id, wait_id LIMIT 1
  ) THEN 'open_edge' END,
  CASE WHEN (
    SELECT true FROM tasks WHERE state = 'queued' ORDER BY id LIMIT 1
  ) THEN 'missing_dispatch' END,
  CASE WHEN (
    SELECT true FROM waits WHERE satisfied_at IS NULL AND due_at > now() + $2::int * interval '1 ms' ORDER BY due_at LIMIT 1
  ) OR (
    SELECT true FROM dispatches WHERE announced_at IS NULL AND run_at > now() + $2::int * interval '1 ms' ORDER BY announced_at, run_at LIMIT 1
  ) THEN 'delayed_jobs' END,
  CASE WHEN (
    SELECT true FROM webhook_endpoints WHERE disabled_at IS NULL ORDER BY tenant_id LIMIT 1
  ) THEN 'webhooks' END,
  CASE WHEN (
    SELECT true FROM webhook_endpoints e CROSS JOIN LATERAL (
      SELECT true FROM webhook_deliveries
      WHERE endpoint_id = e.id AND state = 'pending' AND next_at <= now() + interval '500 microseconds' ORDER BY next_at LIMIT 1
    ) due WHERE e.disabled_at IS NULL LIMIT 1
  ) THEN 'webhook_send' END
], NULL) AS due
