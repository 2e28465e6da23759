-- The queue did not take these wakes in time. They stay announced, so that they keep counting in their tenant's limit: they may arrive
-- after all. What is left of the time that the reconciler gives an unclaimed wake (5 s) is made shorter, not taken away.
-- $1 task ids (text[]), $2 wakes (int[])
UPDATE dispatches d SET announced_at = now() - interval '3 seconds'
FROM unnest($1::text[], $2::int[]) AS told(task_id, wake)
WHERE d.task_id = told.task_id AND d.wake = told.wake AND d.announced_at IS NOT NULL
