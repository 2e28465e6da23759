-- AlterTable
ALTER TABLE "api_messages" ADD COLUMN     "context_tokens" INTEGER;

-- AlterTable
ALTER TABLE "model_calls" ADD COLUMN     "context" JSON,
ADD COLUMN     "first_byte_ms" INTEGER,
ADD COLUMN     "first_text_ms" INTEGER,
ADD COLUMN     "profile" TEXT NOT NULL DEFAULT '';
