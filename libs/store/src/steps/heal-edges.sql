-- Closes edges to children that ended without closing them. Never needed while the protocol holds. $1 limit
WITH stale AS (
  SELECT e.wait_id, e.child_id, c.state FROM wait_edges e JOIN tasks c ON c.id = e.child_id
  WHERE e.closed_at IS NULL AND c.state IN ('completed', 'failed', 'cancelled') AND c.ended_at < now() - interval '5 seconds'
    AND EXISTS (SELECT FROM tasks p WHERE p.wait_id = e.wait_id AND p.state = 'waiting')
  LIMIT $1
), closed AS (
  UPDATE wait_edges e SET closed_at = now() FROM stale WHERE e.wait_id = stale.wait_id AND e.child_id = stale.child_id AND e.closed_at IS NULL
  RETURNING e.wait_id, stale.state
), counted AS (
  SELECT wait_id, count(*)::int AS n, bool_or(state = 'completed') AS succeeded FROM closed GROUP BY wait_id
)
UPDATE waits w SET open_edges = w.open_edges - counted.n,
  satisfied_at = CASE WHEN w.satisfied_at IS NULL AND (w.mode = 'any' OR w.open_edges - counted.n <= 0 OR (w.mode = 'first_success' AND counted.succeeded))
    THEN now() ELSE w.satisfied_at END
FROM counted WHERE w.id = counted.wait_id
RETURNING w.id
