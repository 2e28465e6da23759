-- What the schema file cannot say: indexes of parts of the table. None is written while a task without tags is at work, so the step path pays nothing.

-- A tag that few tasks have, or none.
CREATE INDEX "tasks_tags" ON "tasks" USING GIN ("tags") WHERE "tags" <> '{}';

-- The list of what was archived.
CREATE INDEX "tasks_archived" ON "tasks" ("tenant_id", "created_at" DESC, "id" DESC) WHERE "archived_at" IS NOT NULL;
