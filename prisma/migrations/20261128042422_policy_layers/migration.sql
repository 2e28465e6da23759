-- CreateTable
CREATE TABLE "policy_layers" (
    "tenant_id" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "layer" JSON NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_by" TEXT NOT NULL,

    CONSTRAINT "policy_layers_pkey" PRIMARY KEY ("tenant_id","scope","key")
);

-- AddForeignKey
ALTER TABLE "policy_layers" ADD CONSTRAINT "policy_layers_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
