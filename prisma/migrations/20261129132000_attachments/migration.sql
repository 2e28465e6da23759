-- AlterTable
ALTER TABLE "tool_calls" ADD COLUMN     "media" JSON;

-- CreateTable
CREATE TABLE "attachments" (
    "tenant_id" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "media_type" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "width" INTEGER,
    "height" INTEGER,
    "pages" INTEGER,
    "content" BYTEA NOT NULL,
    "kept_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "attachments_pkey" PRIMARY KEY ("tenant_id","sha256")
);

-- Pictures and PDFs are compressed already.
ALTER TABLE "attachments" ALTER COLUMN "content" SET STORAGE EXTERNAL;
