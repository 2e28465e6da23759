-- The layers around a task, those that somebody wrote. $1 tenant, $2 key of the project or null, $3 id of the root or null
SELECT scope, layer FROM policy_layers
WHERE tenant_id = $1 AND ((scope = 'installation' AND key = '') OR (scope = 'project' AND key = $2) OR (scope = 'task' AND key = $3))
