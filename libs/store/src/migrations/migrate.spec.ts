import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase, type TestDatabase } from '@bullpen/testing';
import pg from 'pg';
import { migrate, migrationStatus } from './migrate.js';
import { pendingSchemaChanges } from '../authoring/pending-changes.js';
import { listMigrations, MIGRATIONS_FOLDER, SCHEMA_FILE } from './migrate-files.js';

const UP_TO_DATE = { pending: [], unknown: [], failed: [], edited: [] };

describe('migrations', () => {
  let migrated: TestDatabase;
  let empty: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    [migrated, empty] = await Promise.all([testDatabase(), testDatabase()]);
    await run(empty.url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    folder = await mkdtemp(join(tmpdir(), 'bullpen-migrations-'));
    await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
  });

  afterAll(async () => {
    await Promise.all([migrated.drop(), empty.drop()]);
    await rm(folder, { recursive: true, force: true });
  });

  it('lead to exactly the schema in schema.prisma', async () => {
    expect(await pendingSchemaChanges({ databaseUrl: migrated.url })).toBe('');
  });

  it('take no table for empty that is only empty yet: sessions plan once, and would read it whole however long it gets', async () => {
    const fresh = await testDatabase();
    try {
      const pool = new pg.Pool({ connectionString: fresh.url, max: 1 });
      const { rows } = await pool.query(`SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples = 0
        AND relnamespace = 'public'::regnamespace`);
      await pool.end();
      expect(rows).toEqual([]);
    } finally {
      await fresh.drop();
    }
  });

  it('are written from what the schema has and they have not', async () => {
    const schemaFile = join(folder, 'schema.prisma');
    await writeFile(
      schemaFile,
      (await readFile(SCHEMA_FILE, 'utf8')).replace('model Repair {', 'model Repair {\n  cause String?'),
    );
    expect(await pendingSchemaChanges({ databaseUrl: migrated.url, schemaFile })).toContain(
      'ALTER TABLE "repairs" ADD COLUMN     "cause" TEXT',
    );
  });

  it('apply once, also when two processes start at the same time', async () => {
    const names = (await listMigrations()).map(({ name }) => name);
    expect(await migrationStatus(empty.url)).toEqual({ ...UP_TO_DATE, pending: names });

    const results = await Promise.all([
      migrate({ databaseUrl: empty.url }),
      migrate({ databaseUrl: empty.url }),
    ]);

    expect(results.map(({ applied }) => applied).filter((applied) => applied.length > 0)).toEqual([names]);
    expect(await migrate({ databaseUrl: empty.url })).toEqual({ applied: [] });
    expect(await migrationStatus(empty.url)).toEqual(UP_TO_DATE);
  });

  it('are read through a pool as well, for readiness checks', async () => {
    const pool = new pg.Pool({ connectionString: migrated.url, max: 1 });
    try {
      expect(await migrationStatus(pool)).toEqual(UP_TO_DATE);
    } finally {
      await pool.end();
    }
  });

  it('refuse a database that is newer than the code', async () => {
    const database = await testDatabase();
    try {
      await addMigration(folder, '29990101000000_future', 'CREATE TABLE future (id int)');
      await migrate({ databaseUrl: database.url, migrationsFolder: folder });

      expect(await migrationStatus(database.url)).toEqual({
        ...UP_TO_DATE,
        unknown: ['29990101000000_future'],
      });
      await expect(migrate({ databaseUrl: database.url })).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining('newer than this version'),
      });
    } finally {
      await database.drop();
    }
  });

  it('leave nothing behind when one fails, and apply it once its cause is mended', async () => {
    const database = await testDatabase();
    const broken = await mkdtemp(join(tmpdir(), 'bullpen-migrations-'));
    try {
      await cp(MIGRATIONS_FOLDER, broken, { recursive: true });
      await addMigration(broken, '29990101000000_broken', 'CREATE TABLE half (a int); SELECT nothing_here');
      const options = { databaseUrl: database.url, migrationsFolder: broken };
      for (let start = 1; start <= 2; start += 1)
        await expect(migrate(options)).rejects.toMatchObject({
          code: 'config_invalid',
          message: expect.stringMatching(/29990101000000_broken failed and changed nothing: .*nothing_here/),
        });
      await addMigration(broken, '29990101000000_broken', 'CREATE TABLE half (a int)');
      expect(await migrate(options)).toEqual({ applied: ['29990101000000_broken'] });
    } finally {
      await rm(broken, { recursive: true });
      await database.drop();
    }
  });

  it('refuse to go on after one that an earlier version began and did not finish', async () => {
    const database = await testDatabase();
    try {
      await run(database.url, 'UPDATE _prisma_migrations SET finished_at = NULL');
      await expect(migrate({ databaseUrl: database.url })).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining('did not finish'),
      });
    } finally {
      await database.drop();
    }
  });

  it('refuse a database that holds something else', async () => {
    const database = await testDatabase();
    try {
      await run(
        database.url,
        'DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE somebody_elses (id int)',
      );
      await expect(migrate({ databaseUrl: database.url })).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining('not empty'),
      });
    } finally {
      await database.drop();
    }
  });

  it('refuse a database that had another version of the same migration', async () => {
    const database = await testDatabase();
    try {
      await run(database.url, "UPDATE _prisma_migrations SET checksum = 'something else'");
      await expect(migrate({ databaseUrl: database.url })).rejects.toThrow(
        /was changed after it was applied/,
      );
    } finally {
      await database.drop();
    }
  });

  it('say that the database cannot be reached when it cannot', async () => {
    await expect(migrate({ databaseUrl: 'postgres://nobody:x@127.0.0.1:1/none' })).rejects.toMatchObject({
      code: 'database_unreachable',
      retryable: true,
    });
  });
});

async function addMigration(folder: string, name: string, sql: string): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, 'migration.sql'), sql);
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
