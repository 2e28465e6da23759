-- AlterTable
ALTER TABLE "workspaces" ADD COLUMN     "setup" JSON;
