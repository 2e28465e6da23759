-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "sandbox" TEXT;

-- AlterTable
ALTER TABLE "tool_calls" ADD COLUMN     "sandbox" TEXT;

-- AlterTable
ALTER TABLE "workers" ADD COLUMN     "sandbox" TEXT;
