-- CreateTable
CREATE TABLE "usage_tree_hours" (
    "tenant_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "root_id" TEXT NOT NULL,
    "simulated" BOOLEAN NOT NULL,
    "calls" BIGINT NOT NULL,
    "unpriced_calls" BIGINT NOT NULL,
    "estimated_calls" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cache_read_tokens" BIGINT NOT NULL,
    "cache_write_5m_tokens" BIGINT NOT NULL,
    "cache_write_1h_tokens" BIGINT NOT NULL,
    "cost_nano_usd" BIGINT NOT NULL,

    CONSTRAINT "usage_tree_hours_pkey" PRIMARY KEY ("root_id","hour")
);

-- CreateIndex
CREATE INDEX "usage_tree_hours_tenant_id_hour_idx" ON "usage_tree_hours"("tenant_id", "hour");

-- Of the hours that are added up already.
INSERT INTO "usage_tree_hours"
SELECT tenant_id, hour, root_id, bool_or(simulated), sum(calls), sum(unpriced_calls), sum(estimated_calls), sum(input_tokens), sum(output_tokens),
  sum(cache_read_tokens), sum(cache_write_5m_tokens), sum(cache_write_1h_tokens), sum(cost_nano_usd)
FROM "usage_hours" GROUP BY 1, 2, 3;

-- Tags of trees without their rows, which are wide. As many tags as fit into an entry of an index, however long each is; few trees have more.
CREATE INDEX "tasks_few_tags" ON "tasks" ("tenant_id", "id") INCLUDE ("tags") WHERE "parent_id" IS NULL AND "tags" <> '{}' AND cardinality("tags") <= 4;
CREATE INDEX "tasks_many_tags" ON "tasks" ("tenant_id", "id") WHERE "parent_id" IS NULL AND "tags" <> '{}' AND cardinality("tags") > 4;
