-- DropIndex
DROP INDEX "checkpoints_task_id_created_at_idx";

-- AlterTable
ALTER TABLE "checkpoints" ADD COLUMN     "bytes" BIGINT NOT NULL,
ADD COLUMN     "files" INTEGER NOT NULL,
ADD COLUMN     "left_out" JSON NOT NULL,
ADD COLUMN     "number" BIGSERIAL NOT NULL,
ADD COLUMN     "reason" TEXT NOT NULL,
ADD COLUMN     "root_id" TEXT NOT NULL,
ADD COLUMN     "tenant_id" TEXT NOT NULL,
ADD COLUMN     "turn" INTEGER NOT NULL,
ADD COLUMN     "workspace_id" TEXT NOT NULL;

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "workspace_epoch" INTEGER,
ADD COLUMN     "workspace_id" TEXT;

-- AlterTable
ALTER TABLE "workers" ADD COLUMN     "home" TEXT;

-- CreateTable
CREATE TABLE "workspaces" (
    "id" TEXT NOT NULL,
    "root_id" TEXT NOT NULL,
    "home" TEXT,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "rebuilt_from" TEXT,
    "opens" INTEGER NOT NULL DEFAULT 0,
    "unsaved" BOOLEAN NOT NULL DEFAULT false,
    "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workspaces_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "checkpoint_packs" (
    "line" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "number" BIGSERIAL NOT NULL,
    "holds" TEXT[],
    "base" TEXT,
    "bytes" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "checkpoint_packs_pkey" PRIMARY KEY ("line","id")
);

-- CreateTable
CREATE TABLE "checkpoint_pack_chunks" (
    "line" TEXT NOT NULL,
    "pack_id" TEXT NOT NULL,
    "part" INTEGER NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "checkpoint_pack_chunks_pkey" PRIMARY KEY ("line","pack_id","part")
);

-- Packs are compressed already.
ALTER TABLE "checkpoint_pack_chunks" ALTER COLUMN "content" SET STORAGE EXTERNAL;

-- CreateIndex
CREATE INDEX "workspaces_root_id_idx" ON "workspaces"("root_id");

-- CreateIndex
CREATE INDEX "checkpoints_task_id_number_idx" ON "checkpoints"("task_id", "number");

-- CreateIndex
CREATE INDEX "checkpoints_workspace_id_number_idx" ON "checkpoints"("workspace_id", "number");

-- AddForeignKey
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_root_id_fkey" FOREIGN KEY ("root_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checkpoint_pack_chunks" ADD CONSTRAINT "checkpoint_pack_chunks_line_pack_id_fkey" FOREIGN KEY ("line", "pack_id") REFERENCES "checkpoint_packs"("line", "id") ON DELETE CASCADE ON UPDATE CASCADE;
