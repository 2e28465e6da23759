/** The local key: there is always a working one in the file, readable by its owner only. */
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testDatabase, type TestDatabase } from '@bullpen/testing';
import { checkApiKey, ensureLocalKey } from './api-keys.js';
import { createPool } from '../database/pool.js';
import { createPrisma, type Prisma } from '../database/prisma-client.js';

describe('the local key', () => {
  let database: TestDatabase;
  let pool: ReturnType<typeof createPool>;
  let prisma: Prisma;
  let folder: string;
  let keyFile: string;
  beforeAll(async () => {
    database = await testDatabase();
    pool = createPool({ databaseUrl: database.url, max: 1 });
    prisma = createPrisma({ databaseUrl: database.url });
  });
  afterAll(async () => {
    await Promise.all([pool.end(), prisma.$disconnect()]);
    await database.drop();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bullpen-key-'));
    keyFile = join(folder, 'home', 'key');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const inFile = async () => (await readFile(keyFile, 'utf8')).trim();
  const works = async () => (await checkApiKey(pool, await inFile())).kind;
  const mode = async () => (await stat(keyFile)).mode & 0o777;

  it('is made at the first start, with mode 0600, and kept at the next', async () => {
    expect(await ensureLocalKey({ prisma, keyFile })).toEqual({ created: true });
    const first = await inFile();
    expect(first).toMatch(/^bp_[A-Za-z0-9_-]{43}$/);
    expect([await works(), await mode()]).toEqual(['valid', 0o600]);
    expect(await ensureLocalKey({ prisma, keyFile })).toEqual({ created: false });
    expect(await inFile()).toBe(first);
    expect(await prisma.apiKey.count({ where: { hash: { contains: first } } })).toBe(0);
  });

  it('is registered again when the database was reset, and closed again when its mode was widened', async () => {
    await ensureLocalKey({ prisma, keyFile });
    const first = await inFile();
    await prisma.apiKey.deleteMany();
    await chmod(keyFile, 0o644);
    await ensureLocalKey({ prisma, keyFile });
    expect([await inFile(), await works(), await mode()]).toEqual([first, 'valid', 0o600]);
  });

  it('is made anew when the file is gone or holds no key', async () => {
    await ensureLocalKey({ prisma, keyFile });
    const first = await inFile();
    await rm(keyFile);
    expect(await ensureLocalKey({ prisma, keyFile })).toEqual({ created: true });
    expect(await inFile()).not.toBe(first);
    await writeFile(keyFile, 'oops');
    await ensureLocalKey({ prisma, keyFile });
    expect(await works()).toBe('valid');
  });

  it('is one key for all processes that start at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => ensureLocalKey({ prisma, keyFile })));
    expect([await works(), await mode()]).toEqual(['valid', 0o600]);
  });
});
