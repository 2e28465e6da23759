-- A task without tags has none of them: nothing that reads the column has a second case to think of.
UPDATE "tasks" SET "tags" = '{}' WHERE "tags" IS NULL;
ALTER TABLE "tasks" ALTER COLUMN "tags" SET DEFAULT '{}', ALTER COLUMN "tags" SET NOT NULL;
