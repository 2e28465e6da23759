-- Stores a wait and its edges; an edge to a child that has ended is closed at once. The task row must be locked before: then no
-- child can end between this look and the suspend, and nobody can cancel or interrupt: then no wait is worth waiting for, but that for the user's word. $1 wait id, $2 task id, $3 reason, $4 mode, $5 child ids (text[]), $6 due in ms or null, $7 provider key or null, $8 this step takes the interrupt back, $9 interactions that end the wait (text[]), $10 messages that this step delivers
-- Result: satisfied
WITH edges AS (
  SELECT c.id AS child_id, c.state, c.state IN ('completed', 'failed', 'cancelled') AS ended
  FROM tasks c WHERE c.id = ANY ($5::text[]) AND c.parent_id = $2
), summary AS (
  SELECT count(*) FILTER (WHERE NOT ended)::int AS open, count(*) FILTER (WHERE ended)::int AS closed,
         count(*) FILTER (WHERE state = 'completed')::int AS succeeded, count(*)::int AS total FROM edges
), verdict AS (
  SELECT open, CASE
    WHEN (SELECT cancel_requested_at IS NOT NULL OR (interrupted_at IS NOT NULL AND NOT $8::boolean AND $3 <> 'message') FROM tasks WHERE id = $2) THEN true
    WHEN $3 = 'message' THEN (SELECT inbox_pending > $10::int FROM tasks WHERE id = $2)
    WHEN cardinality($9::text[]) > 0 THEN EXISTS (
      SELECT FROM interactions WHERE id = ANY ($9::text[]) AND (answered_at IS NOT NULL OR withdrawn_at IS NOT NULL))
    WHEN total = 0 THEN ($6::int IS NULL AND $7::text IS NULL) OR $6::int <= 0
    WHEN $4 = 'any' THEN closed > 0
    WHEN $4 = 'first_success' THEN succeeded > 0 OR open = 0
    ELSE open = 0
  END AS satisfied FROM summary
), opened AS (
  INSERT INTO waits (id, task_id, reason, mode, open_edges, due_at, satisfied_at, provider_key, interaction_ids)
  SELECT $1, $2, $3::wait_reason, $4::wait_mode, open, now() + $6::int * interval '1 millisecond', CASE WHEN satisfied THEN now() END, $7, $9::text[] FROM verdict
  RETURNING id
), linked AS (
  INSERT INTO wait_edges (wait_id, child_id, closed_at)
  SELECT opened.id, edges.child_id, CASE WHEN edges.ended THEN now() END FROM edges, opened
)
SELECT satisfied FROM verdict
