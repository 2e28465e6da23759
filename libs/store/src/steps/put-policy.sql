-- Writes a layer in place of the revision that was read; 0 for none. No row when it is another by now.
-- $1 tenant, $2 scope, $3 key, $4 layer, $5 revision that was read, $6 who
WITH changed AS (
  UPDATE policy_layers SET layer = $4, revision = revision + 1, updated_at = now(), updated_by = $6
  WHERE tenant_id = $1 AND scope = $2 AND key = $3 AND revision = $5 RETURNING *
), made AS (
  INSERT INTO policy_layers (tenant_id, scope, key, layer, revision, updated_by)
  SELECT $1, $2, $3, $4, 1, $6 WHERE $5 = 0
  ON CONFLICT DO NOTHING RETURNING *
)
SELECT * FROM changed UNION ALL SELECT * FROM made
