-- The layers around tasks, those that somebody wrote. One place each: $1 tenants, $2 keys of projects or null, $3 ids of roots or null
-- Result: the place, counted from 1, and a layer of it
SELECT place::int, l.scope, l.layer
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS p(tenant, project, root, place)
CROSS JOIN LATERAL (VALUES ('installation', ''), ('project', p.project), ('task', p.root)) AS around(scope, key)
JOIN policy_layers l ON l.tenant_id = p.tenant AND l.scope = around.scope AND l.key = around.key
