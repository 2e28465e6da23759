-- The leases of many queued tasks, in one statement and one commit: `claim-task`, for many. It only stores. A task that cannot be taken, or of which somebody holds a
-- row, is left out and takes no other with it; asked for again alone, it waits its turn.
-- Nothing here waits for a row while it holds others, so it can never be part of a deadlock (`commit-steps` says how it is read).
-- $1 task ids, $2 the wake of each, $3 worker id, $4 lease in ms
WITH given AS (
  SELECT * FROM unnest($1::text[], $2::int[]) AS g(task_id, wake)
), locked AS (
  SELECT given.*, t.place,
    (SELECT count(*) FROM dispatches WHERE task_id = given.task_id AND wake <= given.wake) AS announced
  FROM given CROSS JOIN LATERAL (
    SELECT ctid AS place, wake, state, run_at, parent_id FROM tasks WHERE id = given.task_id
    FOR NO KEY UPDATE SKIP LOCKED) t
  WHERE t.wake = given.wake AND (t.state = 'queued') IS TRUE AND (t.run_at IS NULL OR t.run_at <= now())
    AND NOT EXISTS (SELECT FROM queue_flows q WHERE q.state = 'paused' OR q.state = 'draining' AND given.wake = 1 AND t.parent_id IS NULL)
    AND NOT EXISTS (SELECT FROM workers w WHERE w.id = $3 AND w.flow <> 'open')
), released AS (
  SELECT d.task_id, d.place
  FROM locked CROSS JOIN LATERAL (
    SELECT task_id, ctid AS place FROM dispatches WHERE task_id = locked.task_id AND wake <= locked.wake
    FOR UPDATE SKIP LOCKED) d
), free AS (
  SELECT place FROM locked WHERE announced = (SELECT count(*) FROM released WHERE released.task_id = locked.task_id)
), claimed AS (
  UPDATE tasks t SET
-- [part lease]
  FROM free WHERE t.ctid = free.place
  RETURNING t.id, t.root_id, t.tenant_id, t.wake, t.epoch, t.attempt, t.event_seq
), gone AS (
  DELETE FROM dispatches d USING released, claimed WHERE d.ctid = released.place AND released.task_id = claimed.id
-- [part claim_rows]
)
SELECT id, root_id, tenant_id, event_seq, wake, epoch FROM claimed
