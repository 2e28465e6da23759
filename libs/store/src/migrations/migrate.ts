/**
 * Brings a database to the schema of this version of the code. Any number of processes may do so at once: an advisory lock
 * lets one work and the others find it done.
 */
import { AppError, errorText } from '@bullpen/contracts/errors';
import pg from 'pg';
import {
  checksumOf,
  hasChecksum,
  listMigrations,
  MIGRATIONS_FOLDER,
  type Migration,
} from './migrate-files.js';
import { requireOwnSessions } from '../database/own-sessions.js';
import { isUnreachable } from '../database/pool.js';

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
 * something else (nothing is changed then), and for a migration that fails (those before it stay applied); `database_unreachable`
 * when it cannot be reached.
 */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const folder = options.migrationsFolder ?? MIGRATIONS_FOLDER;
  await requireOwnSessions(options.databaseUrl);
  return withMigrationLock(options.databaseUrl, async (client) => {
    const status = await readStatus(client, folder);
    refuseUnlessSound(status);
    if (status.pending.length === 0) return { applied: [] };
    const startedAt = performance.now();
    await makeRecord(client);
    const migrations = await listMigrations(folder);
    for (const migration of migrations.filter(({ name }) => status.pending.includes(name)))
      await apply(client, migration);
    const durationMs = Math.round(performance.now() - startedAt);
    options.logger?.info({ applied: status.pending, durationMs }, 'database migrated');
    return { applied: [...status.pending] };
  });
}

/**
 * Prisma's own table, so that its tools know the database. Without it there is no telling what else the schema is used for, so
 * then there must be nothing in it.
 */
async function makeRecord(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ recorded: boolean; others: string[] }>(
    `SELECT coalesce(bool_or(relname = '_prisma_migrations'), false) AS recorded, coalesce(array_agg(relname::text), '{}') AS others
       FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')`,
  );
  if (rows[0]?.recorded === true) return;
  const others = rows[0]?.others ?? [];
  if (others.length > 0)
    throw new AppError(
      'config_invalid',
      `The database is not empty and was not made by Bullpen (it has ${others.slice(0, 3).join(', ')}). Use a database of its own.`,
    );
  await client.query(
    `CREATE TABLE _prisma_migrations (
       id varchar(36) PRIMARY KEY NOT NULL,
       checksum varchar(64) NOT NULL,
       finished_at timestamptz,
       migration_name varchar(255) NOT NULL,
       logs text,
       rolled_back_at timestamptz,
       started_at timestamptz NOT NULL DEFAULT now(),
       applied_steps_count integer NOT NULL DEFAULT 0
     )`,
  );
}

/** One transaction with its record: a migration that fails, or whose process dies, leaves nothing and is tried again at the next start. */
async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(migration.sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES (gen_random_uuid()::text, $1, $2, now(), clock_timestamp(), 1)`,
      [checksumOf(migration), migration.name],
    );
    await client.query('COMMIT');
  } catch (error) {
    if (isUnreachable(error)) throw unreachable(error);
    throw new AppError(
      'config_invalid',
      `The migration ${migration.name} failed and changed nothing: ${errorText(error)}. Mend the cause and start again; it is tried anew.`,
      { cause: error },
    );
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
