-- AlterTable
ALTER TABLE "checkpoints" ADD COLUMN     "changes" JSON;

-- AlterTable
ALTER TABLE "workspaces" ADD COLUMN     "base" TEXT,
ADD COLUMN     "writer" TEXT;
