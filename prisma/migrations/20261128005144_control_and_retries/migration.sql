-- AlterTable
ALTER TABLE "model_calls" ADD COLUMN     "task_attempt" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "deadline_at" TIMESTAMPTZ(3),
ADD COLUMN     "interrupted_at" TIMESTAMPTZ(3),
ADD COLUMN     "leased_at" TIMESTAMPTZ(3),
ADD COLUMN     "pause_requested_at" TIMESTAMPTZ(3),
ADD COLUMN     "retries" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "retry_of_id" TEXT;

-- AlterTable
ALTER TABLE "waits" ADD COLUMN     "provider_key" TEXT;

-- AlterTable
ALTER TABLE "workers" ADD COLUMN     "provider_key" TEXT;

-- CreateTable
CREATE TABLE "provider_keys" (
    "id" TEXT NOT NULL,
    "endpoint" TEXT NOT NULL,
    "paused_until" TIMESTAMPTZ(3),
    "paused_reason" TEXT,
    "parked_at" TIMESTAMPTZ(3),
    "parked_class" TEXT,
    "parked_message" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "provider_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_archive" (
    "tenant_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "agent" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "simulated" BOOLEAN NOT NULL,
    "calls" BIGINT NOT NULL,
    "unpriced_calls" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cache_read_tokens" BIGINT NOT NULL,
    "cache_write_5m_tokens" BIGINT NOT NULL,
    "cache_write_1h_tokens" BIGINT NOT NULL,
    "cost_nano_usd" BIGINT NOT NULL,

    CONSTRAINT "usage_archive_pkey" PRIMARY KEY ("tenant_id","day","agent","model","simulated")
);

-- CreateIndex
CREATE INDEX "tasks_deadline_at_idx" ON "tasks"("deadline_at");
