-- CreateTable
CREATE TABLE "usage_hours" (
    "tenant_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "root_id" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "model" TEXT NOT NULL,
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

    CONSTRAINT "usage_hours_pkey" PRIMARY KEY ("root_id","hour","agent","model","simulated")
);

-- CreateTable
CREATE TABLE "usage_seals" (
    "name" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3),

    CONSTRAINT "usage_seals_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "usage_hours_tenant_id_hour_idx" ON "usage_hours"("tenant_id", "hour");

-- One row, which is also the lock of whoever adds an hour up, or deletes what is added up.
INSERT INTO "usage_seals" ("name") VALUES ('hours');

-- What became of a tree is told without reading its row, which is wide.
DROP INDEX "tasks_roots";
CREATE INDEX "tasks_roots" ON "tasks" ("tenant_id", "created_at" DESC, "id" DESC) INCLUDE ("state") WHERE "parent_id" IS NULL;
