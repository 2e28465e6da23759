-- CreateTable
CREATE TABLE "provider_pauses" (
    "key_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "reason" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "provider_pauses_pkey" PRIMARY KEY ("key_id","model")
);

-- AddForeignKey
ALTER TABLE "provider_pauses" ADD CONSTRAINT "provider_pauses_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "provider_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;
