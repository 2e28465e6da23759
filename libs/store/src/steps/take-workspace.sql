-- Makes a workspace be elsewhere: every other copy is out of date from now on. No row: the lease is lost, or somebody has opened or moved it since the
-- look. $1 task id, $2 epoch of its lease, $3 workspace id, $4 home, $5 epoch seen, $6 opens seen, $7 checkpoint that it is made from,
-- $8 how its setup has ended already, or null
WITH taken AS (
  INSERT INTO workspaces (id, root_id, home, epoch, rebuilt_from, setup)
  SELECT $3, root_id, $4, 1, $7, $8::json FROM tasks WHERE id = $1 AND epoch = $2 AND state = 'running'
  ON CONFLICT (id) DO UPDATE SET home = excluded.home, epoch = workspaces.epoch + 1, rebuilt_from = excluded.rebuilt_from,
    setup = excluded.setup, disk_bytes = NULL, measured_at = NULL, opened_at = now()
  WHERE workspaces.epoch = $5 AND workspaces.opens = $6
  RETURNING epoch
), known AS (
  -- What a task finds at first is what its agent knows, unless it has to be told how that was set up.
  UPDATE tasks SET workspace_epoch = taken.epoch FROM taken WHERE tasks.id = $1 AND tasks.workspace_epoch IS NULL AND tasks.workspace ->> 'setup' IS NULL
)
SELECT epoch FROM taken
