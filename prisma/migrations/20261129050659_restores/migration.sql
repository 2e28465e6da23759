-- CreateTable
CREATE TABLE "restores" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "root_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "checkpoint_id" TEXT NOT NULL,
    "origin_id" TEXT NOT NULL,
    "what" TEXT NOT NULL,
    "dry_run" BOOLEAN NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "before_id" TEXT,
    "after_id" TEXT,
    "files" JSON,
    "history" JSON,
    "failure" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "restores_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "restores_root_id_idx" ON "restores"("root_id");

-- CreateIndex
CREATE INDEX "restores_workspace_id_ended_at_idx" ON "restores"("workspace_id", "ended_at");

-- CreateIndex
CREATE INDEX "restores_ended_at_idx" ON "restores"("ended_at");

-- AddForeignKey
ALTER TABLE "restores" ADD CONSTRAINT "restores_root_id_fkey" FOREIGN KEY ("root_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;
