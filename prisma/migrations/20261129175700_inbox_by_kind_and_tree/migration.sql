-- Requests of one kind that were answered, expired or withdrawn, newest first. They are written once, when a request is closed.
CREATE INDEX "interactions_answered_kinds" ON "interactions" ("tenant_id", "kind", "created_at", "id") WHERE "answered_at" IS NOT NULL;
CREATE INDEX "interactions_expired_kinds" ON "interactions" ("tenant_id", "kind", "created_at", "id") WHERE "answered_by" = 'expiry';
CREATE INDEX "interactions_withdrawn_kinds" ON "interactions" ("tenant_id", "kind", "created_at", "id")
  WHERE "answered_at" IS NULL AND "withdrawn_at" IS NOT NULL;

-- Requests of a tree.
CREATE INDEX "interactions_root_id_created_at_id_idx" ON "interactions"("root_id", "created_at", "id");
