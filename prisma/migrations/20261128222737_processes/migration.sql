-- CreateEnum
CREATE TYPE "process_state" AS ENUM ('running', 'exited', 'killed', 'timed_out', 'lost');

-- CreateTable
CREATE TABLE "processes" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "call_id" TEXT NOT NULL,
    "worker_id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid_space" TEXT NOT NULL,
    "anchor_pid" INTEGER,
    "anchor_ticks" BIGINT,
    "command" TEXT NOT NULL,
    "background" BOOLEAN NOT NULL DEFAULT false,
    "state" "process_state" NOT NULL DEFAULT 'running',
    "exit_code" INTEGER,
    "signal" TEXT,
    "cause" TEXT,
    "limit_ms" INTEGER NOT NULL,
    "output_bytes" BIGINT NOT NULL DEFAULT 0,
    "kill_requested_by" TEXT,
    "background_requested_by" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "processes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "processes_task_id_id_idx" ON "processes"("task_id", "id");

-- AddForeignKey
ALTER TABLE "processes" ADD CONSTRAINT "processes_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What may still have to be ended: by task, and for the repair that looks at all of them.
CREATE INDEX "processes_running" ON "processes" ("task_id") WHERE "state" = 'running';
