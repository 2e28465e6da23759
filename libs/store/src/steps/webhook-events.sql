-- Events that endpoints may want to be told of, tenant by tenant after its cursor, which stays locked; a tenant that somebody else
-- looks through is left out. Only events that nothing can come before any more: those behind the oldest open transaction. The last event
-- of a tenant's batch is always among the rows: the cursor moves there.
-- $1 most events of one tenant
WITH place AS (
  SELECT c.tenant_id, CASE WHEN c.tx < f.tx THEN f.tx - 1 ELSE c.tx END AS tx,
    CASE WHEN c.tx < f.tx THEN 9223372036854775807 ELSE c.event_id END AS event_id
  FROM (SELECT tenant_id, min(from_tx) AS tx FROM webhook_endpoints WHERE disabled_at IS NULL GROUP BY tenant_id) f
  CROSS JOIN LATERAL (SELECT tenant_id, tx, event_id FROM webhook_cursors WHERE tenant_id = f.tenant_id FOR UPDATE SKIP LOCKED) c
)
SELECT p.tenant_id, e.tx, e.id, e.task_id, e.seq, e.at, e.type, e.told, e.last, e.size, CASE WHEN e.told THEN e.data END AS data
FROM place p CROSS JOIN LATERAL (
  SELECT b.*, lead(b.id) OVER (ORDER BY b.tx, b.id) IS NULL AS last, count(*) OVER () AS size,
    CASE WHEN b.epoch = -1 THEN false -- It was told of where it happened.
         WHEN b.type = 'task.status_changed' THEN b.data ->> 'to' IN ('waiting', 'completed', 'failed', 'cancelled')
         ELSE b.type IN ('interaction.opened', 'interaction.closed') END AS told
  FROM (
    SELECT tx, id, task_id, seq, at, type, data, epoch FROM ui_events
    WHERE tenant_id = p.tenant_id AND (tx, id) > (p.tx, p.event_id) AND tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    ORDER BY tx, id LIMIT $1
  ) b
) e
WHERE e.told OR e.last
ORDER BY p.tenant_id, e.tx, e.id
