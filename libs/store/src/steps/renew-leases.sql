-- Renews the leases of one worker in one statement. $1 worker id, $2 lease in ms, $3 task ids (text[]), $4 epochs (int[])
-- Result: those that are still held; an id that is missing is lost. `stop_requested`: somebody cancelled or interrupted the task
-- since the lease was taken.
UPDATE tasks t SET lease_expires_at = now() + $2::int * interval '1 millisecond'
FROM unnest($3::text[], $4::int[]) AS held(id, epoch)
WHERE t.id = held.id AND t.epoch = held.epoch AND t.state = 'running' AND t.worker_id = $1
RETURNING t.id, t.epoch, (t.cancel_requested_at IS NOT NULL OR coalesce(t.interrupted_at >= t.leased_at, false)) AS stop_requested
