-- The interactions of the present turn of a task: about the calls of its newest answer, and about the task as a whole. $1 task id
SELECT i.id, i.kind, i.tool_call_id, i.arguments_hash, i.payload, i.answer, i.answered_by
FROM interactions i JOIN tasks t ON t.id = i.task_id
WHERE i.task_id = $1 AND i.turn = t.turns AND i.withdrawn_at IS NULL
ORDER BY i.created_at, i.id
