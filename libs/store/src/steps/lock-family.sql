-- Locks a task and its parent, the parent first: whoever ends a child or suspends a parent takes the rows in this order. $1 task id
SELECT id FROM tasks WHERE id = $1 OR id = (SELECT parent_id FROM tasks WHERE id = $1) ORDER BY depth, id FOR NO KEY UPDATE
