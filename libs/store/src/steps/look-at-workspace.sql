-- Where a workspace is, and from what it can be made anew. $1 workspace id, $2 the task that wants it
SELECT w.home, w.epoch, w.opens, w.rebuilt_from, w.unsaved,
  CASE
    WHEN (w.setup ->> 'epoch')::int = w.epoch THEN w.setup
    -- A subtask's own begins with all that its parent's setup made, unless checkpoints leave some of it out.
    WHEN w.epoch = 0 THEN (
      SELECT p.setup FROM checkpoints c JOIN workspaces p ON p.id = c.workspace_id
      WHERE c.id = w.base AND p.root_id = w.root_id AND json_array_length(c.left_out) = 0 AND (p.setup ->> 'epoch')::int = p.epoch)
  END AS setup,
  -- Of its own; one of a subtask's own begins from what its parent stored, and that of a fork from what another tree stored.
  coalesce(
    (SELECT json_build_object('id', c.id, 'commit', c.commit, 'rootId', c.root_id) FROM checkpoints c WHERE c.workspace_id = w.id ORDER BY c.number DESC LIMIT 1),
    (SELECT json_build_object('id', c.id, 'commit', c.commit, 'rootId', c.root_id) FROM checkpoints c WHERE c.id = w.base)) AS newest,
  -- Its files are about to change.
  EXISTS (SELECT FROM restores r WHERE r.workspace_id = w.id AND r.ended_at IS NULL AND NOT r.dry_run) AS restoring,
  -- Other runs work there: only they may change it now.
  EXISTS (
    SELECT FROM tasks t JOIN workers k ON k.id = t.worker_id
    WHERE t.root_id = w.root_id AND coalesce(t.workspace_id, t.root_id) = w.id AND t.id <> $2 AND t.state = 'running' AND k.home = w.home
  ) AS busy
FROM workspaces w WHERE w.id = $1
