-- Queues tasks whose worker has not renewed its lease: another worker goes on from what is stored. $1 limit, $2 half of a lease in ms
-- A worker that is lost with one task accuses that task. Of one that is lost with several nobody knows which it was: then every
-- other loss counts, and a task's epochs alternate, as each lease has the next one (docs/adr/0007).
-- Only a process that has died accuses. One that stopped in order, or has said that it lives when it should have renewed the lease, has
-- not; and when nobody has said so all the time since then, it was the database that was away.
WITH running AS (
  SELECT worker_id, count(*) AS tasks FROM tasks WHERE state = 'running' GROUP BY worker_id
), newest AS (
  -- Whoever is not the lost one: of two, one is not.
  SELECT id, seen_at, seen_since FROM workers ORDER BY seen_at DESC LIMIT 2
), expired AS (
  SELECT id FROM tasks WHERE state = 'running' AND lease_expires_at < now() ORDER BY lease_expires_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
), moved AS (
  UPDATE tasks t SET state = 'queued', wake = t.wake + 1,
    crashes = t.crashes + CASE
      WHEN EXISTS (
        SELECT FROM workers w WHERE w.id = t.worker_id AND (w.stopped_at IS NOT NULL OR NOT EXISTS (
          SELECT FROM newest o WHERE o.id <> w.id AND o.seen_at > t.lease_expires_at - $2::int * interval '1 ms' AND o.seen_since <= t.lease_expires_at
        ) OR w.seen_at > t.lease_expires_at - $2::int * interval '1 ms')
      ) THEN 0
      WHEN (SELECT tasks FROM running WHERE running.worker_id = t.worker_id) > 1 THEN t.epoch % 2
      ELSE 1 END,
    left_by = t.worker_id, worker_id = NULL, lease_expires_at = NULL,
    event_seq = t.event_seq + 2, updated_at = now()
  FROM expired WHERE t.id = expired.id
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq, t.left_by
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT id, event_seq - 1, root_id, tenant_id, 'worker.lost', json_build_object('workerId', left_by) FROM moved
  UNION ALL
  SELECT id, event_seq, root_id, tenant_id, 'task.status_changed', json_build_object('from', 'running', 'to', 'queued') FROM moved
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM moved
)
SELECT id, root_id, tenant_id, event_seq, wake FROM moved
