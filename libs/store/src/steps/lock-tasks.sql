-- Locks task rows in one fixed order (parents before children), so that no two transactions wait for each other. $1 ids (text[])
SELECT id FROM tasks WHERE id = ANY ($1::text[]) ORDER BY depth, id FOR NO KEY UPDATE
