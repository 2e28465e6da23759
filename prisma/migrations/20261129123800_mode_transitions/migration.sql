-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "mode" TEXT,
ADD COLUMN     "mode_context" JSON,
ADD COLUMN     "mode_seq" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "mode_transitions" (
    "task_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "from" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "to" TEXT,
    "source" TEXT NOT NULL,
    "by" TEXT,
    "reason" TEXT,
    "refusal" TEXT,
    "possible" TEXT[],
    "epoch" INTEGER,

    CONSTRAINT "mode_transitions_pkey" PRIMARY KEY ("task_id","seq")
);

-- AddForeignKey
ALTER TABLE "mode_transitions" ADD CONSTRAINT "mode_transitions_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;
