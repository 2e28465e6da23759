#!/usr/bin/env node
/**
 * Writes the migration that leads from the existing ones to prisma/schema.prisma:
 *
 *   node scripts/new-migration.mjs add_priority
 *
 * A throw-away Postgres replays the existing migrations. Read the SQL before you commit it: a rename looks like a drop and an
 * add. Migrations that were released are never changed.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, chmodSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const LOCKFILE = 'provider = "postgresql"\n';

const name = process.argv[2] ?? '';
if (!/^[a-z][a-z0-9_]*$/.test(name))
  fail('give the migration a name of lower-case letters, digits and underscores');

// A file that does not compile at the moment is no obstacle, as long as these do.
spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: root, stdio: 'inherit' });
const { startEmbeddedPostgres } = await import('../libs/store/dist/embedded/embedded-postgres.js');
const { pendingSchemaChanges } = await import('../libs/store/dist/authoring/pending-changes.js');

const home = mkdtempSync(join(tmpdir(), 'bullpen-migration-'));
chmodSync(home, 0o711);
const server = await startEmbeddedPostgres({ home, logger: { info() {} }, settings: { fsync: 'off' } });
try {
  const sql = await pendingSchemaChanges({ databaseUrl: server.url });
  if (sql === '') console.log('The migrations already lead to the schema.');
  else write(sql);
} finally {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}

function write(sql) {
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = join(root, 'prisma/migrations', `${stamp}_${name}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'migration.sql'), sql);
  writeFileSync(join(root, 'prisma/migrations/migration_lock.toml'), LOCKFILE);
  console.log(`Wrote prisma/migrations/${stamp}_${name}/migration.sql`);
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
