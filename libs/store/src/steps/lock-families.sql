-- As lock-family.sql, for many tasks. $1 task ids (text[])
SELECT id FROM tasks WHERE id = ANY ($1::text[] || array(SELECT parent_id FROM tasks WHERE id = ANY ($1::text[]))) ORDER BY depth, id FOR NO KEY UPDATE
