-- AlterTable
ALTER TABLE "workers" ADD COLUMN     "keep_hours" INTEGER;

-- AlterTable
ALTER TABLE "workspaces" ADD COLUMN     "disk_bytes" BIGINT,
ADD COLUMN     "measured_at" TIMESTAMPTZ(3);
