/** Writing migrations: the difference between the migrations folder and the schema file. For developers and tests. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { MIGRATIONS_FOLDER, SCHEMA_FILE } from '../migrations/migrate-files.js';
import { migrate } from '../migrations/migrate.js';
import { withSchemaEngine } from './schema-engine.js';

export interface PendingChangesOptions {
  /** A server on which a scratch database may be made: the migrations are applied there. */
  readonly databaseUrl: string;
  readonly migrationsFolder?: string;
  readonly schemaFile?: string;
}

/** The SQL that leads from the migrations to the schema file; empty when they agree. */
export async function pendingSchemaChanges(options: PendingChangesOptions): Promise<string> {
  const { databaseUrl, migrationsFolder = MIGRATIONS_FOLDER, schemaFile = SCHEMA_FILE } = options;
  const files = [{ path: schemaFile, content: await readFile(schemaFile, 'utf8') }];
  return withScratchDatabase(databaseUrl, async (scratchUrl) => {
    await migrate({ databaseUrl: scratchUrl, migrationsFolder });
    const result = await withSchemaEngine(scratchUrl, (engine) =>
      engine.diff({
        from: { tag: 'schemaDatasource', files, configDir: '' },
        to: { tag: 'schemaDatamodel', files },
        script: true,
        exitCode: true,
        // Every table belongs to the schema file: nothing is managed elsewhere.
        filters: { externalTables: [], externalEnums: [] },
      }),
    );
    // Exit code 2 says that there is a difference; the text of an empty one is only a comment.
    return result.exitCode === 2 ? (result.stdout ?? '') : '';
  });
}

/** The adapter can make such a database itself, but then drops it while its own connection is still open. */
async function withScratchDatabase<T>(
  databaseUrl: string,
  use: (scratchUrl: string) => Promise<T>,
): Promise<T> {
  const name = `bullpen_scratch_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name}`);
    const scratch = new URL(databaseUrl);
    scratch.pathname = `/${name}`;
    return await use(scratch.href);
  } finally {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.end();
  }
}
