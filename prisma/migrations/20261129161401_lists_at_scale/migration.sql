-- The message of a failure without the parts that differ, so that a thousand failures of one kind are one line. The order matters: a path may hold ids, and an id
-- digits.
CREATE FUNCTION "failure_message"(failure json) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT left(
    regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(coalesce(failure ->> 'message', ''),
      '(^|[\s"''(=])(/[\w.@+~-]+)+/?', '\1<path>', 'g'),
      '\m[a-z]{2,12}_[0-9A-Za-z]{20,30}\M', '<id>', 'g'),
      '\m[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\M', '<id>', 'gi'),
      '\m(?=[0-9a-f]*[0-9])[0-9a-f]{8,}\M', '<hex>', 'gi'),
      '[0-9]+([.,][0-9]+)*', '<n>', 'g'),
    300)
$$;

-- The name of the group of failures that a failed task belongs to: 16 hexadecimal digits.
CREATE FUNCTION "failure_signature"(stop_cause text, failure json) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT left(md5(jsonb_build_array(coalesce(stop_cause, 'error'), coalesce(failure ->> 'code', ''), failure ->> 'errorClass',
    failure_message(failure))::text), 16)
$$;

-- Worked out when a task fails, and not for each that failed whenever somebody looks. What failed elsewhere is in no group.
ALTER TABLE "tasks" ADD COLUMN "failure_signature" TEXT
  GENERATED ALWAYS AS (CASE WHEN "failure" IS NOT NULL AND "imported" IS NULL THEN failure_signature("stop_cause", "failure") END) STORED;

-- All that the groups are made of, in the order in which they are made.
CREATE INDEX "tasks_failures" ON "tasks" ("tenant_id", "failure_signature", "ended_at" DESC, "id" DESC)
  INCLUDE ("created_at", "archived_at", "agent", "parent_id") WHERE "state" = 'failed' AND "failure_signature" IS NOT NULL;

-- Most lists are of roots, and a root may have a thousand subtasks.
CREATE INDEX "tasks_roots" ON "tasks" ("tenant_id", "created_at" DESC, "id" DESC) WHERE "parent_id" IS NULL;

-- People name things by the ends of their ids.
CREATE INDEX "tasks_id_ends" ON "tasks" (reverse("id") COLLATE "C");
CREATE INDEX "interactions_id_ends" ON "interactions" (reverse("id") COLLATE "C");
CREATE INDEX "inbox_messages_id_ends" ON "inbox_messages" (reverse("id") COLLATE "C");
CREATE INDEX "processes_id_ends" ON "processes" (reverse("id") COLLATE "C");
CREATE INDEX "checkpoints_id_ends" ON "checkpoints" (reverse("id") COLLATE "C");
CREATE INDEX "webhook_deliveries_id_ends" ON "webhook_deliveries" (reverse("id") COLLATE "C");

-- The table is another one now, and the ends of ids are something new: without statistics nothing would go along these. Not of empty tables, which would
-- count as empty from then on: sessions plan once, and would read them whole however long they get.
DO $$
DECLARE
  name text;
  filled boolean;
BEGIN
  FOREACH name IN ARRAY ARRAY['tasks', 'interactions', 'inbox_messages', 'processes', 'checkpoints', 'webhook_deliveries'] LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', name) INTO filled;
    IF filled THEN EXECUTE format('ANALYZE %I', name); END IF;
  END LOOP;
END
$$;
