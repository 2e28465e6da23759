-- CreateTable
CREATE TABLE "search_texts" (
    "task_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "field" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "lexemes" tsvector NOT NULL,

    CONSTRAINT "search_texts_pkey" PRIMARY KEY ("task_id","seq","field")
);

-- CreateTable
CREATE TABLE "search_cursors" (
    "tenant_id" TEXT NOT NULL,
    "tx" BIGINT NOT NULL DEFAULT 0,
    "event_id" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "search_cursors_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateIndex
CREATE INDEX "search_texts_lexemes_idx" ON "search_texts" USING GIN ("lexemes");
