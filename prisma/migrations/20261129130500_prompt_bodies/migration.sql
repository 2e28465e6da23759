-- CreateTable
CREATE TABLE "model_call_bodies" (
    "model_call_id" TEXT NOT NULL,
    "request" TEXT NOT NULL,
    "request_bytes" INTEGER NOT NULL,
    "response" TEXT NOT NULL,
    "response_bytes" INTEGER NOT NULL,
    "kept_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_call_bodies_pkey" PRIMARY KEY ("model_call_id")
);

-- CreateIndex
CREATE INDEX "model_call_bodies_kept_at_idx" ON "model_call_bodies"("kept_at");

-- AddForeignKey
ALTER TABLE "model_call_bodies" ADD CONSTRAINT "model_call_bodies_model_call_id_fkey" FOREIGN KEY ("model_call_id") REFERENCES "model_calls"("id") ON DELETE CASCADE ON UPDATE CASCADE;
