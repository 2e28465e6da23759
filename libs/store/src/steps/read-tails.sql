-- Tasks as they stand, each with its events after a place. One task each: $1 tenants, $2 tasks, $3 sequence numbers, $4 events at most
-- Result: the task's place in the question, counted from 1, and an event of it; one row without an event where there is none, none where there is no such task
SELECT place::int, t.root_id AS "rootId", t.state, t.event_seq AS "eventSeq", t.id AS "taskId",
  e.seq, e.id, e.tx, e.type, e.data, e.epoch, e.at
FROM unnest($1::text[], $2::text[], $3::int[], $4::int[]) WITH ORDINALITY AS asked(tenant, task, after, most, place)
JOIN tasks t ON t.id = asked.task AND t.tenant_id = asked.tenant
LEFT JOIN LATERAL (
  SELECT * FROM ui_events WHERE task_id = t.id AND seq > asked.after ORDER BY seq LIMIT asked.most
) e ON true
ORDER BY place, e.seq
