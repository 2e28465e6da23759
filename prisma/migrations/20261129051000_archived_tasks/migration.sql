-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "archived_at" TIMESTAMPTZ(3);
