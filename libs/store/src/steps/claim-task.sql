-- Takes the lease of a queued task. No row: there is nothing to take, or nobody may: a
-- queue that is paused lets nothing start, one that is drained no new tree, and a worker that is paused or drained takes nothing.
-- $1 task id, $2 wake, $3 worker id, $4 lease in ms
WITH claimed AS (
  UPDATE tasks SET
-- [part lease]
  WHERE id = $1 AND wake = $2 AND state = 'queued' AND (run_at IS NULL OR run_at <= now())
    AND NOT EXISTS (SELECT FROM queue_flows q WHERE q.state = 'paused' OR q.state = 'draining' AND tasks.wake = 1 AND tasks.parent_id IS NULL)
    AND NOT EXISTS (SELECT FROM workers w WHERE w.id = $3 AND w.flow <> 'open')
  RETURNING id, root_id, tenant_id, wake, epoch, attempt, event_seq
), gone AS (
  DELETE FROM dispatches USING claimed WHERE dispatches.task_id = claimed.id AND dispatches.wake <= $2
-- [part claim_rows]
)
SELECT id, root_id, tenant_id, event_seq, wake, epoch FROM claimed
