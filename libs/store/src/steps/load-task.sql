-- Everything a run needs to go on, in one look. $1 task id, $2 epoch
SELECT
  row_to_json(t) AS task,
  b.limit_nano_usd::text AS limit_nano_usd,
  (SELECT coalesce(json_agg(json_build_object('id', m.id, 'seq', m.seq, 'turn', m.turn, 'role', m.role, 'content', m.content,
     'stopReason', m.stop_reason, 'contextTokens', m.context_tokens, 'reduction', m.reduction) ORDER BY m.seq), '[]'::json) FROM api_messages m WHERE m.task_id = t.id AND m.dropped_at IS NULL) AS messages,
  (SELECT coalesce(json_agg(m.seq), '[]'::json) FROM api_messages m WHERE m.task_id = t.id AND m.dropped_at IS NOT NULL) AS dropped,
  (SELECT coalesce(json_agg(c ORDER BY c.position), '[]'::json) FROM tool_calls c
     WHERE c.task_id = t.id AND c.message_id = (SELECT id FROM api_messages WHERE task_id = t.id AND role = 'assistant' AND dropped_at IS NULL ORDER BY seq DESC LIMIT 1)) AS tool_calls,
  (SELECT coalesce(json_agg(c ORDER BY c.attempt), '[]'::json) FROM model_calls c
     WHERE c.task_id = t.id AND c.turn = t.turns + 1 AND c.status <> 'done') AS model_calls,
  (SELECT c.context FROM model_calls c WHERE c.task_id = t.id AND c.context IS NOT NULL ORDER BY c.turn DESC, c.attempt DESC, c.started_at DESC LIMIT 1) AS context,
  (SELECT coalesce(json_agg(i ORDER BY i.created_at, i.id), '[]'::json) FROM interactions i
     WHERE i.task_id = t.id AND i.turn = t.turns AND i.withdrawn_at IS NULL) AS interactions,
  (SELECT json_object_agg(p.scope, p.layer) FROM policy_layers p
     WHERE p.tenant_id = t.tenant_id AND (p.scope, p.key) IN (('installation', ''), ('project', coalesce(t.workspace ->> 'path', t.workspace -> 'origin' ->> 'path')), ('task', t.root_id))) AS layers,
  (SELECT coalesce(json_agg(m ORDER BY m.seq), '[]'::json) FROM mode_transitions m WHERE m.task_id = t.id) AS transitions
FROM tasks t LEFT JOIN budget_accounts b ON b.root_id = t.root_id
WHERE t.id = $1 AND t.epoch = $2 AND t.state = 'running'
