-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "forked_task_id" TEXT;

-- CreateIndex
CREATE INDEX "workspaces_base_idx" ON "workspaces"("base");
