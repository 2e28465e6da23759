-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "imported" JSON;

-- Whatever asks for it: an imported task never comes to life.
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_imported_ended"
  CHECK ("imported" IS NULL OR ("state" IN ('completed', 'failed', 'cancelled') AND "worker_id" IS NULL AND "epoch" = 0));

-- Few are imported; those that count work leave them out.
CREATE INDEX "tasks_imported_idx" ON "tasks"("root_id") WHERE "imported" IS NOT NULL;
