-- AlterEnum
ALTER TYPE "interaction_kind" ADD VALUE 'plan';

-- DropIndex
DROP INDEX "interactions_tenant_id_answered_at_created_at_idx";

-- AlterTable
ALTER TABLE "inbox_messages" ADD COLUMN     "source" TEXT NOT NULL DEFAULT 'user';

-- AlterTable
ALTER TABLE "interactions" ADD COLUMN     "expiry_answer" JSON,
ADD COLUMN     "title" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "turn" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "withdrawn_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "autonomy" TEXT;

-- AlterTable
ALTER TABLE "waits" ADD COLUMN     "interaction_ids" TEXT[];

-- CreateIndex
CREATE INDEX "interactions_tenant_id_created_at_id_idx" ON "interactions"("tenant_id", "created_at", "id");

-- The reconciler looks for what has expired; hardly anything is pending at a time.
CREATE INDEX "interactions_pending" ON "interactions"("expires_at") WHERE "answered_at" IS NULL AND "withdrawn_at" IS NULL;
