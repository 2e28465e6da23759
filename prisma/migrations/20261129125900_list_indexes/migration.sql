-- Lists read what they show. None of these columns changes with a step, but the time of the last change: its index is of the kind that
-- does not stop Postgres from changing a row in place.
CREATE INDEX "tasks_agents" ON "tasks" ("tenant_id", "agent", "created_at" DESC, "id" DESC);
CREATE INDEX "tasks_ended" ON "tasks" ("tenant_id", "state", "created_at" DESC, "id" DESC)
  WHERE "state" IN ('completed', 'failed', 'cancelled');
CREATE INDEX "tasks_causes" ON "tasks" ("tenant_id", "stop_cause", "created_at" DESC, "id" DESC) WHERE "stop_cause" IS NOT NULL;
CREATE INDEX "tasks_error_classes" ON "tasks" ("tenant_id", ("failure" ->> 'errorClass'), "created_at" DESC, "id" DESC)
  WHERE "failure" IS NOT NULL;
CREATE INDEX "tasks_updated" ON "tasks" USING brin ("updated_at") WITH (pages_per_range = 16, autosummarize = on);

CREATE INDEX "interactions_open" ON "interactions" ("tenant_id", "created_at", "id")
  WHERE "answered_at" IS NULL AND "withdrawn_at" IS NULL;
CREATE INDEX "interactions_open_kinds" ON "interactions" ("tenant_id", "kind", "created_at", "id")
  WHERE "answered_at" IS NULL AND "withdrawn_at" IS NULL;
CREATE INDEX "interactions_expired" ON "interactions" ("tenant_id", "created_at", "id") WHERE "answered_by" = 'expiry';
CREATE INDEX "interactions_withdrawn" ON "interactions" ("tenant_id", "created_at", "id")
  WHERE "answered_at" IS NULL AND "withdrawn_at" IS NOT NULL;
CREATE INDEX "interactions_answered" ON "interactions" ("tenant_id", "created_at", "id") WHERE "answered_at" IS NOT NULL;
