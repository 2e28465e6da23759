/**
 * Brings a database to the schema of this version of the code. Any number of processes may do so at once: an advisory lock
 * lets one work and the others find it done.
 */
import { AppError, errorText } from '@bullpen/contracts';
import pg from 'pg';
import { migrationList, NO_FILTERS, withSchemaEngine } from './migrate-engine.js';
import { requireOwnSessions } from './own-sessions.js';
import { isUnreachable } from './pool.js';
import { hasChecksum, listMigrations, MIGRATIONS_FOLDER } from './migrate-files.js';

/** Any number that nothing else in the database locks on. */
const LOCK_KEY = 4_120_157_733;
const LOCK_TIMEOUT = '120s';
const UNDEFINED_TABLE = '42P01';

export interface MigrateOptions {
  readonly databaseUrl: string;
  readonly logger?: { info(fields: object, message: string): void };
  /** @defaultValue `prisma/migrations` of the repository */
  readonly migrationsFolder?: string;
}

/** How a database compares with the migrations of this version. All empty: it is up to date. */
export interface MigrationStatus {
  /** Not applied yet, in order. */
  readonly pending: readonly string[];
  /** Applied, but unknown here: the database is newer than the code. */
  readonly unknown: readonly string[];
  /** Begun and not finished. */
  readonly failed: readonly string[];
  /** Applied from a file that has changed since. */
  readonly edited: readonly string[];
}

/**
 * Applies what is pending and returns it, in order; empty when there was nothing to do. Throws `config_invalid` for an address
 * whose connections share sessions, for a database that is newer than the code, that a migration left half done, or that holds
 * something else (nothing is changed then), and for a migration that fails; `database_unreachable` when it cannot be reached.
 */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const folder = options.migrationsFolder ?? MIGRATIONS_FOLDER;
  await requireOwnSessions(options.databaseUrl);
  return withMigrationLock(options.databaseUrl, async (client) => {
    const status = await readStatus(client, folder);
    refuseUnlessSound(status);
    if (status.pending.length === 0) return { applied: [] };
    const startedAt = performance.now();
    const applied = await apply(options.databaseUrl, folder);
    const durationMs = Math.round(performance.now() - startedAt);
    options.logger?.info({ applied, durationMs }, 'database migrated');
    return { applied };
  });
}

async function apply(databaseUrl: string, folder: string): Promise<string[]> {
  const input = { migrationsList: await migrationList(folder), filters: NO_FILTERS };
  try {
    const result = await withSchemaEngine(databaseUrl, (engine) => engine.applyMigrations(input));
    return result.appliedMigrationNames;
  } catch (error) {
    if (isUnreachable(error)) throw unreachable(error);
    throw new AppError('config_invalid', `The database could not be migrated: ${errorText(error)}`, {
      cause: error,
    });
  }
}

/** The state of the database, read without a lock; cheap enough for a readiness check on a pool. */
export async function migrationStatus(
  database: string | pg.Pool,
  migrationsFolder: string = MIGRATIONS_FOLDER,
): Promise<MigrationStatus> {
  if (typeof database !== 'string') return readStatus(database, migrationsFolder);
  const client = await connect(database);
  try {
    return await readStatus(client, migrationsFolder);
  } finally {
    await client.end();
  }
}

async function withMigrationLock<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connect(databaseUrl);
  try {
    await client.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    return await work(client);
  } finally {
    // Ends the session, and with it the lock.
    await client.end();
  }
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    application_name: 'bullpen-migrate',
  });
  // A lost connection also fails the query that runs; the event alone would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw unreachable(error);
  }
}

function unreachable(error: unknown): AppError {
  return new AppError('database_unreachable', `Could not connect to the database: ${errorText(error)}`, {
    retryable: true,
    cause: error,
  });
}

interface AppliedRow {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

async function readStatus(database: pg.Client | pg.Pool, folder: string): Promise<MigrationStatus> {
  const migrations = await listMigrations(folder);
  const rows = await readApplied(database);
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const finished = rows.filter((row) => row.finished);
  const applied = new Set(finished.map((row) => row.migration_name));
  return {
    pending: migrations.map(({ name }) => name).filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.has(name)),
    failed: rows.filter((row) => !row.finished).map((row) => row.migration_name),
    edited: finished
      .filter((row) => {
        const migration = known.get(row.migration_name);
        return migration !== undefined && !hasChecksum(migration, row.checksum);
      })
      .map((row) => row.migration_name),
  };
}

async function readApplied(database: pg.Client | pg.Pool): Promise<readonly AppliedRow[]> {
  try {
    const { rows } = await database.query<AppliedRow>(
      `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished
         FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
    );
    return rows;
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}

function refuseUnlessSound(status: MigrationStatus): void {
  const { unknown, failed, edited } = status;
  if (unknown.length > 0)
    throw refusal(
      `The database is newer than this version of Bullpen (it has ${unknown.join(', ')}). Upgrade Bullpen, or use another database.`,
      status,
    );
  if (failed.length > 0)
    throw refusal(
      `The migration ${failed.join(', ')} was started on this database and did not finish. Restore a backup, or repair it by hand and mark it in _prisma_migrations.`,
      status,
    );
  if (edited.length > 0)
    throw refusal(
      `The migration ${edited.join(', ')} was changed after it was applied to this database. The database is from an unreleased version: use another one.`,
      status,
    );
}

function refusal(message: string, status: MigrationStatus): AppError {
  return new AppError('config_invalid', message, { details: { ...status } });
}
