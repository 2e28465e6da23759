-- CreateTable
CREATE TABLE "bulk_actions" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "action" JSONB NOT NULL,
    "filter" JSONB,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),
    "stopped" BOOLEAN NOT NULL DEFAULT false,
    "lease_expires_at" TIMESTAMPTZ(3),
    "worked_at" TIMESTAMPTZ(3),

    CONSTRAINT "bulk_actions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bulk_items" (
    "bulk_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "task_id" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'left',
    "reason" TEXT,
    "new_task_id" TEXT,

    CONSTRAINT "bulk_items_pkey" PRIMARY KEY ("bulk_id","position")
);

-- CreateIndex
CREATE INDEX "bulk_actions_tenant_id_created_at_id_idx" ON "bulk_actions"("tenant_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "bulk_items_bulk_id_state_position_idx" ON "bulk_items"("bulk_id", "state", "position");

-- AddForeignKey
ALTER TABLE "bulk_items" ADD CONSTRAINT "bulk_items_bulk_id_fkey" FOREIGN KEY ("bulk_id") REFERENCES "bulk_actions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What is still to be worked off.
CREATE INDEX "bulk_actions_open" ON "bulk_actions" ("worked_at" NULLS FIRST) WHERE "ended_at" IS NULL;
