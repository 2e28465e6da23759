-- A worker that ends had taken these wakes and not claimed their tasks: they are in the backlog again, for the next dispatch round.
-- $1 task ids (text[]), $2 wakes (int[])
UPDATE dispatches d SET announced_at = NULL
FROM unnest($1::text[], $2::int[]) AS told(task_id, wake)
WHERE d.task_id = told.task_id AND d.wake = told.wake
