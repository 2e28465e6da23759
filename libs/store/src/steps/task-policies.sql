-- The layers of the approval policy around a task. $1 task id
SELECT json_object_agg(p.scope, p.layer) AS layers
FROM tasks t JOIN policy_layers p ON p.tenant_id = t.tenant_id
  AND (p.scope, p.key) IN (('installation', ''), ('project', t.workspace ->> 'path'), ('task', t.root_id))
WHERE t.id = $1
