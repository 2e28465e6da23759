-- Tasks have ended: tells their parents (unless those have ended, too), closes the edges that wait for them, and queues each parent whose wait is thereby satisfied.
-- Runs in the transaction that ended them, after the parents' rows were locked. $1 ids (text[]); what another transaction has ended was told then
-- Result: the parents
WITH child AS (
  SELECT id, parent_id, title, state, stop_cause, row_number() OVER (PARTITION BY parent_id ORDER BY id)::int AS place
  FROM tasks WHERE id = ANY ($1::text[]) AND state IN ('completed', 'failed', 'cancelled') AND xmin = pg_current_xact_id()::xid
), closed AS (
  -- By a list of ids: a join would be free to read all edges, where these were few when the plan was made.
  UPDATE wait_edges SET closed_at = now() WHERE child_id = ANY (array(SELECT id FROM child)) AND closed_at IS NULL RETURNING wait_id, child_id
), counted AS (
  UPDATE waits w SET
    open_edges = w.open_edges - ended.edges,
    satisfied_at = CASE
      WHEN w.satisfied_at IS NOT NULL THEN w.satisfied_at
      WHEN w.mode = 'any' OR w.open_edges - ended.edges = 0 OR (w.mode = 'first_success' AND ended.succeeded) THEN now()
    END
  FROM (
    SELECT wait_id, count(*)::int AS edges, bool_or(child.state = 'completed') AS succeeded FROM closed JOIN child ON child.id = closed.child_id GROUP BY wait_id
  ) ended
  WHERE w.id = ended.wait_id
  RETURNING w.id, w.task_id, w.satisfied_at
), woken AS (
  SELECT t.id FROM tasks t JOIN counted ON counted.id = t.wait_id AND counted.satisfied_at IS NOT NULL WHERE t.state = 'waiting'
), parent AS (
  UPDATE tasks t SET
    state = CASE WHEN woken.id IS NOT NULL THEN 'queued' ELSE t.state END,
    wake = CASE WHEN woken.id IS NOT NULL THEN t.wake + 1 ELSE t.wake END,
    wait_reason = CASE WHEN woken.id IS NOT NULL THEN NULL ELSE t.wait_reason END,
    event_seq = t.event_seq + ended.children + CASE WHEN woken.id IS NOT NULL THEN 1 ELSE 0 END,
    updated_at = now()
  FROM (SELECT parent_id, count(*)::int AS children FROM child GROUP BY parent_id) ended LEFT JOIN woken ON woken.id = ended.parent_id
  WHERE t.id = ended.parent_id AND t.state NOT IN ('completed', 'failed', 'cancelled')
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq, woken.id IS NOT NULL AS woken,
    t.event_seq - CASE WHEN woken.id IS NOT NULL THEN 1 ELSE 0 END - ended.children AS told_before
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT parent.id, parent.told_before + child.place, parent.root_id, parent.tenant_id, 'subtask.ended',
    json_build_object('taskId', child.id, 'title', child.title, 'state', child.state, 'cause', child.stop_cause)
  FROM parent JOIN child ON child.parent_id = parent.id
  UNION ALL
  SELECT parent.id, parent.event_seq, parent.root_id, parent.tenant_id, 'task.status_changed', json_build_object('from', 'waiting', 'to', 'queued')
  FROM parent WHERE parent.woken
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM parent WHERE woken
)
SELECT id, root_id, tenant_id, event_seq, CASE WHEN woken THEN wake END AS wake FROM parent
