-- Closes edges to children that ended without closing them. A wait that this satisfies falls due, and its task goes on with the next look at due
-- waits. Only for a task that waits is that a repair; it is never needed while the protocol holds. Edges of a wait that nothing is left of
-- are closed as well, so that they are walked past once. A slice of the open edges, by child and wait.
-- $1 and $2 after this child and wait, $3 edges
-- Result: the place where the next slice begins, null at the end; with it, one row for each wait that was repaired
WITH slice AS MATERIALIZED (
  SELECT child_id, wait_id FROM wait_edges WHERE closed_at IS NULL AND (child_id, wait_id) > ($1, $2) ORDER BY child_id, wait_id LIMIT $3
), stale AS MATERIALIZED (
  SELECT slice.wait_id, slice.child_id, c.state FROM slice CROSS JOIN LATERAL (
    SELECT state FROM tasks
    WHERE id = slice.child_id AND state IN ('completed', 'failed', 'cancelled') AND ended_at < now() - interval '5 seconds' OFFSET 0) c
), closed AS (
  -- Each pair of the two is such an edge: the child ended, and the edge is open.
  UPDATE wait_edges e SET closed_at = now()
  WHERE e.wait_id = ANY (array(SELECT wait_id FROM stale)) AND e.child_id = ANY (array(SELECT child_id FROM stale)) AND e.closed_at IS NULL
  RETURNING e.wait_id, e.child_id
), counted AS (
  SELECT wait_id, count(*)::int AS n, bool_or(child.state = 'completed') AS succeeded
  FROM closed JOIN (SELECT DISTINCT child_id, state FROM stale) child USING (child_id) GROUP BY wait_id
), repaired AS (
  UPDATE waits w SET open_edges = w.open_edges - counted.n,
    due_at = CASE WHEN w.mode = 'any' OR w.open_edges - counted.n <= 0 OR (w.mode = 'first_success' AND counted.succeeded) THEN now() ELSE w.due_at END
  FROM counted, tasks p
  WHERE w.id = counted.wait_id AND w.satisfied_at IS NULL AND p.id = w.task_id AND p.wait_id = w.id AND p.state IN ('waiting', 'paused')
  RETURNING w.id
)
SELECT place.next, repaired.id
FROM (
  SELECT CASE WHEN count(*) = $3 THEN (SELECT array[child_id, wait_id] FROM slice ORDER BY child_id DESC, wait_id DESC LIMIT 1) END AS next FROM slice
) place LEFT JOIN repaired ON true
