-- A task has ended: tells its parent (unless that has ended, too), closes the edges that wait for it, and queues a parent whose wait is thereby satisfied.
-- Runs in the transaction that ended the child, after the parent's row was locked. $1 child id
WITH child AS (
  SELECT id, parent_id, title, state, stop_cause FROM tasks WHERE id = $1
), closed AS (
  UPDATE wait_edges SET closed_at = now() WHERE child_id = $1 AND closed_at IS NULL RETURNING wait_id
), counted AS (
  UPDATE waits w SET
    open_edges = w.open_edges - 1,
    satisfied_at = CASE
      WHEN w.satisfied_at IS NOT NULL THEN w.satisfied_at
      WHEN w.mode = 'any' OR w.open_edges - 1 = 0 OR (w.mode = 'first_success' AND child.state = 'completed') THEN now()
    END
  FROM closed, child WHERE w.id = closed.wait_id
  RETURNING w.id, w.task_id, w.satisfied_at
), woken AS (
  SELECT t.id FROM tasks t JOIN counted ON counted.id = t.wait_id AND counted.satisfied_at IS NOT NULL WHERE t.state = 'waiting'
), parent AS (
  UPDATE tasks t SET
    state = CASE WHEN woken.id IS NOT NULL THEN 'queued' ELSE t.state END,
    wake = CASE WHEN woken.id IS NOT NULL THEN t.wake + 1 ELSE t.wake END,
    wait_reason = CASE WHEN woken.id IS NOT NULL THEN NULL ELSE t.wait_reason END,
    event_seq = t.event_seq + CASE WHEN woken.id IS NOT NULL THEN 2 ELSE 1 END,
    updated_at = now()
  FROM child LEFT JOIN woken ON woken.id = child.parent_id
  WHERE t.id = child.parent_id AND t.state NOT IN ('completed', 'failed', 'cancelled')
  RETURNING t.id, t.root_id, t.tenant_id, t.priority, t.wake, t.event_seq, woken.id IS NOT NULL AS woken
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT parent.id, parent.event_seq - CASE WHEN parent.woken THEN 1 ELSE 0 END, parent.root_id, parent.tenant_id, 'subtask.ended',
    json_build_object('taskId', child.id, 'title', child.title, 'state', child.state, 'cause', child.stop_cause) FROM parent, child
  UNION ALL
  SELECT parent.id, parent.event_seq, parent.root_id, parent.tenant_id, 'task.status_changed', json_build_object('from', 'waiting', 'to', 'queued')
  FROM parent WHERE parent.woken
), queued AS (
  INSERT INTO dispatches (task_id, wake, tenant_id, priority) SELECT id, wake, tenant_id, priority FROM parent WHERE woken
)
SELECT id, root_id, tenant_id, event_seq, CASE WHEN woken THEN wake END AS wake FROM parent
