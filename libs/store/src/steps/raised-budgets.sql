-- Trees in which a task asks for more money although the limit has been raised since. A slice of what is asked, by tree and id.
-- $1 and $2 after this root and interaction, $3 interactions
-- Result: the place where the next slice begins, null at the end; with it, one row for each such tree
WITH slice AS MATERIALIZED (
  SELECT root_id, id, payload FROM interactions
  WHERE kind = 'budget' AND answered_at IS NULL AND withdrawn_at IS NULL AND (root_id, id) > ($1, $2)
  ORDER BY root_id, id LIMIT $3
), raised AS (
  SELECT DISTINCT slice.root_id FROM slice CROSS JOIN LATERAL (
    SELECT limit_nano_usd FROM budget_accounts WHERE root_id = slice.root_id OFFSET 0) account
  WHERE account.limit_nano_usd IS NULL OR account.limit_nano_usd > (slice.payload ->> 'limitUsd')::numeric * 1000000000
)
SELECT place.next, raised.root_id AS id
FROM (SELECT CASE WHEN count(*) = $3 THEN (SELECT array[root_id, id] FROM slice ORDER BY root_id DESC, id DESC LIMIT 1) END AS next FROM slice) place
LEFT JOIN raised ON true
