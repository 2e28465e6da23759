-- A run opens a workspace where it is. No row: it has moved meanwhile. $1 task id, $2 workspace id, $3 home, $4 epoch
WITH opened AS (
  UPDATE workspaces SET opens = opens + 1, opened_at = now() WHERE id = $2 AND home = $3 AND epoch = $4
  RETURNING epoch
), known AS (
  -- What a task finds at first is what its agent knows, unless it has to be told how that was set up.
  UPDATE tasks SET workspace_epoch = opened.epoch FROM opened WHERE tasks.id = $1 AND tasks.workspace_epoch IS NULL AND tasks.workspace ->> 'setup' IS NULL
)
SELECT epoch FROM opened
