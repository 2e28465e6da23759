/** Writing migrations: the difference between the migrations folder and the schema file. For developers and tests. */
import { readFile } from 'node:fs/promises';
import type { DiffTarget } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { migrationList, NO_FILTERS, withSchemaEngine } from './migrate-engine.js';
import { MIGRATIONS_FOLDER, SCHEMA_FILE } from './migrate-files.js';

export interface PendingChangesOptions {
  /** A server on which a scratch database may be made: the migrations are replayed there. */
  readonly databaseUrl: string;
  readonly migrationsFolder?: string;
  readonly schemaFile?: string;
}

/** The SQL that leads from the migrations to the schema file; empty when they agree. */
export async function pendingSchemaChanges(options: PendingChangesOptions): Promise<string> {
  const { migrationsFolder = MIGRATIONS_FOLDER, schemaFile = SCHEMA_FILE } = options;
  const list = await migrationList(migrationsFolder);
  const from: DiffTarget = list.migrationDirectories.length === 0 ? { tag: 'empty' } : { tag: 'migrations', ...list };
  const files = [{ path: schemaFile, content: await readFile(schemaFile, 'utf8') }];
  const to: DiffTarget = { tag: 'schemaDatamodel', files };
  const request = { from, to, script: true, exitCode: true, filters: NO_FILTERS };
  const result = await withSchemaEngine(options.databaseUrl, (engine) => engine.diff(request));
  // Exit code 2 says that there is a difference; the text of an empty one is only a comment.
  return result.exitCode === 2 ? (result.stdout ?? '') : '';
}
