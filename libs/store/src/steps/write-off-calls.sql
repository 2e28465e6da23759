-- Model calls that a lost worker left open on tasks that end without another run: what they had reserved is charged as an
-- estimate, because the provider may have billed them. $1 task ids (text[]), locked
WITH lost AS (
  SELECT c.id, c.task_id, c.model, c.reserved_nano_usd AS cost, t.root_id, t.tenant_id, t.agent
  FROM model_calls c JOIN tasks t ON t.id = c.task_id WHERE c.task_id = ANY ($1::text[]) AND c.status = 'started' AND t.state <> 'running'
), closed AS (
  UPDATE model_calls c SET status = 'abandoned', reserved_nano_usd = 0, error_class = 'network', ended_at = now(),
    error_message = 'The worker was lost during this call, and the task ended before another went on.'
  FROM lost WHERE c.id = lost.id
), charged AS (
  INSERT INTO usage_records (model_call_id, task_id, root_id, tenant_id, agent, model, input_tokens, output_tokens, cache_read_tokens,
    cache_write_5m_tokens, cache_write_1h_tokens, cost_nano_usd, estimated)
  SELECT id, task_id, root_id, tenant_id, agent, model, 0, 0, 0, 0, 0, cost, true FROM lost
), added AS (
  UPDATE tasks t SET cost_nano_usd = t.cost_nano_usd + s.cost
  FROM (SELECT task_id, sum(cost) AS cost FROM lost GROUP BY task_id) s WHERE t.id = s.task_id
)
UPDATE budget_accounts a SET spent_nano_usd = a.spent_nano_usd + s.cost, reserved_nano_usd = a.reserved_nano_usd - s.cost
FROM (SELECT root_id, sum(cost) AS cost FROM lost GROUP BY root_id) s WHERE a.root_id = s.root_id
