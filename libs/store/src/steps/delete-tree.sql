-- Deletes a locked tree when all of it has ended, and its root long enough ago, and no fork of it still lives on its checkpoints; its details go with its rows.
-- $1 root id, $2 ended for at least this many seconds, $3 states of the root (text[])
WITH allowed AS (
  SELECT id FROM tasks r
  WHERE r.id = $1 AND r.parent_id IS NULL AND r.ended_at < now() - $2::bigint * interval '1 second' AND r.state::text = ANY ($3::text[])
    AND NOT EXISTS (SELECT FROM tasks c WHERE c.root_id = r.id AND c.state NOT IN ('completed', 'failed', 'cancelled'))
    AND NOT EXISTS (
      SELECT FROM tasks t JOIN checkpoints c ON c.task_id = t.id JOIN workspaces w ON w.base = c.id
      WHERE t.root_id = r.id AND w.root_id <> r.id AND NOT EXISTS (SELECT FROM checkpoints own WHERE own.workspace_id = w.id))
), account AS (
  DELETE FROM budget_accounts USING allowed WHERE budget_accounts.root_id = allowed.id
), policy AS (
  DELETE FROM policy_layers p USING allowed, tasks r
  WHERE r.id = allowed.id AND p.tenant_id = r.tenant_id AND p.scope = 'task' AND p.key = r.id
), tree AS (
  SELECT t.id FROM tasks t JOIN allowed ON t.root_id = allowed.id
), texts AS (
  -- These have no foreign key that would take them along.
  DELETE FROM search_texts USING tree WHERE search_texts.task_id = tree.id
), events AS (
  DELETE FROM ui_events USING tree WHERE ui_events.task_id = tree.id
), usage AS (
  DELETE FROM usage_records USING tree WHERE usage_records.task_id = tree.id
), hours AS (
  DELETE FROM usage_hours USING allowed WHERE usage_hours.root_id = allowed.id
), tree_hours AS (
  DELETE FROM usage_tree_hours USING allowed WHERE usage_tree_hours.root_id = allowed.id
), packs AS (
  DELETE FROM checkpoint_packs USING allowed WHERE checkpoint_packs.line = allowed.id
)
DELETE FROM tasks USING allowed WHERE tasks.root_id = allowed.id
RETURNING tasks.id
