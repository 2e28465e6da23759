-- What is told of questions that nobody needs to answer any more: those of `unasked` (id, kind, task_id).
), withdrawals AS (
  SELECT task_id, 1 AS place, 'interaction.closed' AS type,
    json_build_object('interactionId', id, 'kind', kind, 'state', 'withdrawn', 'by', NULL, 'answer', NULL) AS data FROM unasked
