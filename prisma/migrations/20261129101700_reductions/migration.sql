-- AlterTable
ALTER TABLE "api_messages" ADD COLUMN     "reduction" JSON;
