-- Ids of a task and all its descendants. $1 task id
WITH RECURSIVE tree AS (
  SELECT id FROM tasks WHERE id = $1
  UNION ALL
  SELECT t.id FROM tasks t JOIN tree ON t.parent_id = tree.id
)
SELECT id FROM tree
