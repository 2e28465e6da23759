-- One dispatch round, in one round trip; the rule is the function in the migration `fair_dispatch`, explained in docs/adr/0006.
-- $1 task ids (text[]) and $2 wakes (int[]) of what was just committed; may be empty
-- Result: the wakes to announce now, in order; they count as announced
SELECT task_id AS "taskId", wake, tries FROM admit_wakes($1::text[], $2::int[])
