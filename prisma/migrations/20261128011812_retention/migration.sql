-- AlterTable
ALTER TABLE "usage_archive" ADD COLUMN     "estimated_calls" BIGINT NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "tasks_retry_of_id_idx" ON "tasks"("retry_of_id");

-- CreateIndex
CREATE INDEX "tasks_ended_at_idx" ON "tasks"("ended_at");
