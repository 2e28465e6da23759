-- DropForeignKey
ALTER TABLE "ui_events" DROP CONSTRAINT "ui_events_task_id_fkey";

-- DropForeignKey
ALTER TABLE "usage_records" DROP CONSTRAINT "usage_records_task_id_fkey";

-- DropIndex
DROP INDEX "ui_events_id_key";
