-- Where a workspace is, and from what it can be made anew. $1 workspace id, $2 the task that wants it
SELECT w.home, w.epoch, w.opens, w.rebuilt_from, w.unsaved,
  -- Of its own; one of a subtask's own begins from what its parent stored.
  coalesce(
    (SELECT json_build_object('id', c.id, 'commit', c.commit) FROM checkpoints c WHERE c.workspace_id = w.id ORDER BY c.number DESC LIMIT 1),
    (SELECT json_build_object('id', c.id, 'commit', c.commit) FROM checkpoints c WHERE c.id = w.base)) AS newest,
  -- Other runs work there: only they may change it now.
  EXISTS (
    SELECT FROM tasks t JOIN workers k ON k.id = t.worker_id
    WHERE t.root_id = w.root_id AND coalesce(t.workspace_id, t.root_id) = w.id AND t.id <> $2 AND t.state = 'running' AND k.home = w.home
  ) AS busy
FROM workspaces w WHERE w.id = $1
