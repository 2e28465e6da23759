-- CreateEnum
CREATE TYPE "task_state" AS ENUM ('queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled');

-- CreateEnum
CREATE TYPE "wait_reason" AS ENUM ('children', 'approval', 'answer', 'message', 'backoff', 'budget', 'provider');

-- CreateEnum
CREATE TYPE "wait_mode" AS ENUM ('all', 'any', 'first_success');

-- CreateEnum
CREATE TYPE "message_role" AS ENUM ('user', 'assistant');

-- CreateEnum
CREATE TYPE "tool_call_status" AS ENUM ('generated', 'calling', 'done', 'canceled', 'errored');

-- CreateEnum
CREATE TYPE "model_call_status" AS ENUM ('started', 'done', 'failed', 'abandoned');

-- CreateEnum
CREATE TYPE "interaction_kind" AS ENUM ('approval', 'question', 'budget', 'mistakes');

-- CreateTable
CREATE TABLE "tenants" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "weight" INTEGER NOT NULL DEFAULT 1,
    "max_running" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tasks" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "parent_id" TEXT,
    "parent_call_id" TEXT,
    "root_id" TEXT NOT NULL,
    "depth" INTEGER NOT NULL DEFAULT 0,
    "title" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "definition" JSON NOT NULL,
    "prompt" TEXT NOT NULL,
    "input" JSON,
    "workspace" JSON NOT NULL,
    "workspace_path" TEXT,
    "priority" INTEGER NOT NULL DEFAULT 0,
    "tags" TEXT[],
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "state" "task_state" NOT NULL DEFAULT 'queued',
    "wait_reason" "wait_reason",
    "wait_id" TEXT,
    "wake" INTEGER NOT NULL DEFAULT 1,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "worker_id" TEXT,
    "lease_expires_at" TIMESTAMPTZ(3),
    "attempt" INTEGER NOT NULL DEFAULT 1,
    "crashes" INTEGER NOT NULL DEFAULT 0,
    "phase" TEXT NOT NULL DEFAULT 'work',
    "pending_cause" TEXT,
    "turns" INTEGER NOT NULL DEFAULT 0,
    "repairs" INTEGER NOT NULL DEFAULT 0,
    "mistakes" INTEGER NOT NULL DEFAULT 0,
    "child_count" INTEGER NOT NULL DEFAULT 0,
    "active_ms" BIGINT NOT NULL DEFAULT 0,
    "message_seq" INTEGER NOT NULL DEFAULT 0,
    "event_seq" INTEGER NOT NULL DEFAULT 0,
    "inbox_pending" INTEGER NOT NULL DEFAULT 0,
    "todos" JSONB NOT NULL DEFAULT '[]',
    "input_tokens" BIGINT NOT NULL DEFAULT 0,
    "output_tokens" BIGINT NOT NULL DEFAULT 0,
    "cache_read_tokens" BIGINT NOT NULL DEFAULT 0,
    "cache_write_5m_tokens" BIGINT NOT NULL DEFAULT 0,
    "cache_write_1h_tokens" BIGINT NOT NULL DEFAULT 0,
    "cost_nano_usd" BIGINT NOT NULL DEFAULT 0,
    "output" JSON,
    "partial" BOOLEAN NOT NULL DEFAULT false,
    "stop_cause" TEXT,
    "failure" JSON,
    "cancel_requested_at" TIMESTAMPTZ(3),
    "cancel_reason" TEXT,
    "run_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tasks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attempts" (
    "task_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "outcome" TEXT,
    "failure" JSON,

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("task_id","number")
);

-- CreateTable
CREATE TABLE "api_messages" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "turn" INTEGER NOT NULL,
    "role" "message_role" NOT NULL,
    "content" JSON NOT NULL,
    "stop_reason" TEXT,
    "epoch" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ui_events" (
    "task_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "tx" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    "root_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSON NOT NULL,
    "epoch" INTEGER,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ui_events_pkey" PRIMARY KEY ("task_id","seq")
);

-- CreateTable
CREATE TABLE "tool_calls" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "turn" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "tool_use_id" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "status" "tool_call_status" NOT NULL,
    "raw_arguments" TEXT NOT NULL,
    "arguments" JSON,
    "approval" JSON,
    "output" TEXT,
    "full_output" TEXT,
    "is_error" BOOLEAN NOT NULL DEFAULT false,
    "child_task_id" TEXT,
    "completes_task" BOOLEAN NOT NULL DEFAULT false,
    "started_epoch" INTEGER,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "tool_calls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_calls" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "turn" INTEGER NOT NULL,
    "attempt" INTEGER NOT NULL,
    "phase" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "status" "model_call_status" NOT NULL,
    "request_hash" TEXT NOT NULL,
    "request_messages" INTEGER NOT NULL,
    "reserved_nano_usd" BIGINT NOT NULL DEFAULT 0,
    "provider_request_id" TEXT,
    "stop_reason" TEXT,
    "error_class" TEXT,
    "error_message" TEXT,
    "retry_delay_ms" INTEGER,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "model_calls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_records" (
    "model_call_id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "root_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cache_read_tokens" BIGINT NOT NULL,
    "cache_write_5m_tokens" BIGINT NOT NULL,
    "cache_write_1h_tokens" BIGINT NOT NULL,
    "cost_nano_usd" BIGINT,
    "price" JSON,
    "estimated" BOOLEAN NOT NULL DEFAULT false,
    "simulated" BOOLEAN NOT NULL DEFAULT false,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_records_pkey" PRIMARY KEY ("model_call_id")
);

-- CreateTable
CREATE TABLE "budget_accounts" (
    "root_id" TEXT NOT NULL,
    "limit_nano_usd" BIGINT,
    "spent_nano_usd" BIGINT NOT NULL DEFAULT 0,
    "reserved_nano_usd" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "budget_accounts_pkey" PRIMARY KEY ("root_id")
);

-- CreateTable
CREATE TABLE "interactions" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "root_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "kind" "interaction_kind" NOT NULL,
    "tool_call_id" TEXT,
    "arguments_hash" TEXT,
    "payload" JSON NOT NULL,
    "answer" JSON,
    "answered_by" TEXT,
    "answered_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "interactions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "checkpoints" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "parent_id" TEXT,
    "message_seq" INTEGER NOT NULL,
    "event_seq" INTEGER NOT NULL,
    "commit" TEXT NOT NULL,
    "note" TEXT,
    "diffstat" JSON,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "checkpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "waits" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "reason" "wait_reason" NOT NULL,
    "mode" "wait_mode" NOT NULL,
    "open_edges" INTEGER NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "satisfied_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "waits_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "wait_edges" (
    "wait_id" TEXT NOT NULL,
    "child_id" TEXT NOT NULL,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "wait_edges_pkey" PRIMARY KEY ("wait_id","child_id")
);

-- CreateTable
CREATE TABLE "dispatches" (
    "task_id" TEXT NOT NULL,
    "wake" INTEGER NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "priority" INTEGER NOT NULL DEFAULT 0,
    "run_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "announced_at" TIMESTAMPTZ(3),
    "announces" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dispatches_pkey" PRIMARY KEY ("task_id","wake")
);

-- CreateTable
CREATE TABLE "inbox_messages" (
    "id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered_at" TIMESTAMPTZ(3),

    CONSTRAINT "inbox_messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "tenant_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "status" INTEGER,
    "response" JSON,
    "location" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("tenant_id","key")
);

-- CreateTable
CREATE TABLE "workers" (
    "id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "slots" INTEGER NOT NULL,
    "running" INTEGER NOT NULL DEFAULT 0,
    "version" TEXT NOT NULL,
    "simulated" BOOLEAN NOT NULL DEFAULT false,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "stopped_at" TIMESTAMPTZ(3),

    CONSTRAINT "workers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "repairs" (
    "kind" TEXT NOT NULL,
    "count" BIGINT NOT NULL DEFAULT 0,
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "repairs_pkey" PRIMARY KEY ("kind")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "tasks_tenant_id_created_at_id_idx" ON "tasks"("tenant_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "tasks_root_id_idx" ON "tasks"("root_id");

-- CreateIndex
CREATE INDEX "tasks_state_lease_expires_at_idx" ON "tasks"("state", "lease_expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "tasks_parent_id_parent_call_id_key" ON "tasks"("parent_id", "parent_call_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_messages_task_id_seq_key" ON "api_messages"("task_id", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "ui_events_id_key" ON "ui_events"("id");

-- CreateIndex
CREATE INDEX "ui_events_root_id_tx_id_idx" ON "ui_events"("root_id", "tx", "id");

-- CreateIndex
CREATE INDEX "ui_events_tenant_id_tx_id_idx" ON "ui_events"("tenant_id", "tx", "id");

-- CreateIndex
CREATE INDEX "tool_calls_task_id_turn_position_idx" ON "tool_calls"("task_id", "turn", "position");

-- CreateIndex
CREATE UNIQUE INDEX "tool_calls_task_id_tool_use_id_key" ON "tool_calls"("task_id", "tool_use_id");

-- CreateIndex
CREATE INDEX "model_calls_task_id_turn_attempt_idx" ON "model_calls"("task_id", "turn", "attempt");

-- CreateIndex
CREATE INDEX "usage_records_task_id_idx" ON "usage_records"("task_id");

-- CreateIndex
CREATE INDEX "usage_records_tenant_id_at_idx" ON "usage_records"("tenant_id", "at");

-- CreateIndex
CREATE INDEX "interactions_tenant_id_answered_at_created_at_idx" ON "interactions"("tenant_id", "answered_at", "created_at");

-- CreateIndex
CREATE INDEX "interactions_task_id_idx" ON "interactions"("task_id");

-- CreateIndex
CREATE INDEX "checkpoints_task_id_created_at_idx" ON "checkpoints"("task_id", "created_at");

-- CreateIndex
CREATE INDEX "waits_task_id_idx" ON "waits"("task_id");

-- CreateIndex
CREATE INDEX "waits_satisfied_at_due_at_idx" ON "waits"("satisfied_at", "due_at");

-- CreateIndex
CREATE INDEX "wait_edges_child_id_idx" ON "wait_edges"("child_id");

-- CreateIndex
CREATE INDEX "dispatches_announced_at_run_at_idx" ON "dispatches"("announced_at", "run_at");

-- CreateIndex
CREATE INDEX "inbox_messages_task_id_delivered_at_idx" ON "inbox_messages"("task_id", "delivered_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "tasks"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_messages" ADD CONSTRAINT "api_messages_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ui_events" ADD CONSTRAINT "ui_events_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_calls" ADD CONSTRAINT "model_calls_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "usage_records" ADD CONSTRAINT "usage_records_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "interactions" ADD CONSTRAINT "interactions_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checkpoints" ADD CONSTRAINT "checkpoints_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "waits" ADD CONSTRAINT "waits_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wait_edges" ADD CONSTRAINT "wait_edges_wait_id_fkey" FOREIGN KEY ("wait_id") REFERENCES "waits"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dispatches" ADD CONSTRAINT "dispatches_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbox_messages" ADD CONSTRAINT "inbox_messages_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;
