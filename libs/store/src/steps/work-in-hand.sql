-- What a task has in hand beside what its model is sent: the user's own words in the present conversation, subtasks, running processes. $1 task id
SELECT
  (SELECT coalesce(json_agg(json_build_object('messageId', m.id, 'text', e.data ->> 'text') ORDER BY e.seq), '[]'::json)
   FROM ui_events e JOIN api_messages m ON m.id = e.data ->> 'messageId' AND m.task_id = e.task_id AND m.dropped_at IS NULL
   WHERE e.task_id = $1 AND e.type = 'message.user' AND e.data ->> 'source' <> 'harness') AS requests,
  (SELECT coalesce(json_agg(json_build_object('id', id, 'title', title, 'state', state) ORDER BY created_at, id), '[]'::json)
   FROM tasks WHERE parent_id = $1) AS children,
  (SELECT coalesce(json_agg(json_build_object('id', id, 'command', command) ORDER BY started_at, id), '[]'::json)
   FROM processes WHERE task_id = $1 AND state = 'running') AS processes
