-- Remembers announcements. $1 task ids (text[]), $2 wakes (int[])
UPDATE dispatches d SET announced_at = now(), announces = d.announces + 1
FROM unnest($1::text[], $2::int[]) AS told(task_id, wake) WHERE d.task_id = told.task_id AND d.wake = told.wake
