-- Outcomes of children of a task. $1 parent id, $2 child ids (text[])
SELECT id, title, state, stop_cause, failure, output, partial, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens,
  cache_write_1h_tokens, cost_nano_usd
FROM tasks WHERE parent_id = $1 AND id = ANY ($2::text[]) ORDER BY array_position($2::text[], id)
