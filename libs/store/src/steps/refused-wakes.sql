-- The queue did not take these wakes. They stay announced, so that they keep counting in their tenant's limit (one may have arrived
-- after all), but since so long ago that the reconciler announces them again at its next look. $1 task ids (text[]), $2 wakes (int[])
UPDATE dispatches d SET announced_at = 'epoch'
FROM unnest($1::text[], $2::int[]) AS told(task_id, wake)
WHERE d.task_id = told.task_id AND d.wake = told.wake AND d.announced_at IS NOT NULL
