-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "left_by" TEXT;
