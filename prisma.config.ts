import { defineConfig } from 'prisma/config';

// The CLI would download its schema engine from a host that many machines cannot reach; `generate` does not need it. Naming
// any executable keeps it from trying. Migrations run through the WASM build of the same engine (libs/store/src/migrations/migrate.ts).
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
});
