-- Writes down how much output running processes have, and gives what is wanted of them. $1 ids (text[]), $2 bytes of output (bigint[])
WITH held AS (
  SELECT * FROM unnest($1::text[], $2::bigint[]) AS held(id, output_bytes)
), counted AS (
  UPDATE processes p SET output_bytes = held.output_bytes FROM held
  WHERE p.id = held.id AND p.state = 'running' AND p.output_bytes <> held.output_bytes
)
SELECT held.id, p.kill_requested_by, p.background_requested_by, CASE
    WHEN p.state IS DISTINCT FROM 'running' THEN 'lost'
    WHEN t.state IN ('completed', 'failed', 'cancelled') THEN 'task_ended' END AS over
FROM held LEFT JOIN processes p ON p.id = held.id LEFT JOIN tasks t ON t.id = p.task_id
WHERE p.state IS DISTINCT FROM 'running' OR t.state IN ('completed', 'failed', 'cancelled')
  OR p.kill_requested_by IS NOT NULL OR p.background_requested_by IS NOT NULL
