-- The events of `news` (task_id, place, type, data), in the order of their places, as the newest of the tasks of `moved`, whose event_seq counts them.
), told AS (
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
  SELECT moved.id, event_seq - count(*) OVER task + row_number() OVER (task ORDER BY news.place), root_id, tenant_id, news.type, news.data
  FROM moved JOIN news ON news.task_id = moved.id
  WINDOW task AS (PARTITION BY moved.id)
