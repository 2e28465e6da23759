-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "route" JSON;
