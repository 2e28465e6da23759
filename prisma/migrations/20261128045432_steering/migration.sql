-- AlterTable
ALTER TABLE "api_messages" ADD COLUMN     "dropped_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "inbox_messages" ADD COLUMN     "edited_at" TIMESTAMPTZ(3),
ADD COLUMN     "taken_epoch" INTEGER,
ADD COLUMN     "withdrawn_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "rollback_requested" BOOLEAN NOT NULL DEFAULT false;
