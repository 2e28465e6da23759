-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "briefing" JSON,
ADD COLUMN     "context_items" JSON NOT NULL DEFAULT '[]';
