-- Adds up what a tree used, by day, into the archive. Runs in the transaction that deletes the tree. $1 root id
INSERT INTO usage_archive AS kept (tenant_id, day, agent, model, simulated, calls, unpriced_calls, estimated_calls, input_tokens, output_tokens,
  cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, cost_nano_usd)
SELECT tenant_id, (at AT TIME ZONE 'UTC')::date, agent, model, simulated, count(*), count(*) FILTER (WHERE cost_nano_usd IS NULL),
  count(*) FILTER (WHERE estimated), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens), sum(cache_write_5m_tokens),
  sum(cache_write_1h_tokens), coalesce(sum(cost_nano_usd), 0)
FROM usage_records WHERE task_id IN (SELECT id FROM tasks WHERE root_id = $1)
GROUP BY 1, 2, 3, 4, 5
-- Always in the same order, so that two who prune never wait for each other.
ORDER BY 1, 2, 3, 4, 5
ON CONFLICT (tenant_id, day, agent, model, simulated) DO UPDATE SET
  calls = kept.calls + excluded.calls,
  unpriced_calls = kept.unpriced_calls + excluded.unpriced_calls,
  estimated_calls = kept.estimated_calls + excluded.estimated_calls,
  input_tokens = kept.input_tokens + excluded.input_tokens,
  output_tokens = kept.output_tokens + excluded.output_tokens,
  cache_read_tokens = kept.cache_read_tokens + excluded.cache_read_tokens,
  cache_write_5m_tokens = kept.cache_write_5m_tokens + excluded.cache_write_5m_tokens,
  cache_write_1h_tokens = kept.cache_write_1h_tokens + excluded.cache_write_1h_tokens,
  cost_nano_usd = kept.cost_nano_usd + excluded.cost_nano_usd
