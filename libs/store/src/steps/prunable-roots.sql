-- Roots of trees that have ended, those that ended first. A look only; each is looked at again once it is locked.
-- $1 ended for at least this many seconds, $2 states (text[]), $3 tenant or null, $4 limit, $5 and $6 end and id of the last root of the batch before; of the first, '-infinity' and ''
SELECT t.id, t.tenant_id, t.ended_at FROM tasks t
WHERE t.parent_id IS NULL AND t.ended_at < now() - $1::bigint * interval '1 second' AND t.state::text = ANY ($2::text[])
  AND ($3::text IS NULL OR t.tenant_id = $3)
  AND (t.ended_at, t.id) > ($5::timestamptz, $6::text)
ORDER BY t.ended_at, t.id LIMIT $4
