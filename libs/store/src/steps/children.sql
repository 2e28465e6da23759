-- Outcomes of children of a task. $1 parent id, $2 child ids (text[])
SELECT id, title, state, stop_cause, failure, output, partial, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens,
  cache_write_1h_tokens, cost_nano_usd, (SELECT w.unsaved FROM workspaces w WHERE w.id = tasks.id) AS unsaved,
  -- Of a workspace of its own, whoever changed it.
  (SELECT c.changes FROM checkpoints c WHERE c.workspace_id = tasks.id ORDER BY c.number DESC LIMIT 1) AS changes
FROM tasks WHERE parent_id = $1 AND id = ANY ($2::text[]) ORDER BY array_position($2::text[], id)
