/** The migrations of this version of the code, as files. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `prisma/migrations` of the repository; the same from `src` and from `dist`. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../../prisma/migrations', import.meta.url));

/** `prisma/schema.prisma` of the repository. */
export const SCHEMA_FILE = fileURLToPath(new URL('../../../../prisma/schema.prisma', import.meta.url));

/** One migration: the folder's name, which orders it, and its SQL. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** All migrations in the order in which they apply. Empty when the folder does not exist yet. */
export async function listMigrations(folder: string = MIGRATIONS_FOLDER): Promise<readonly Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names
      .sort()
      .map(async (name) => ({ name, sql: await readFile(join(folder, name, 'migration.sql'), 'utf8') })),
  );
}

/** Of the file as it is: SHA-256 in hex, as Prisma keeps it. */
export function checksumOf({ sql }: Migration): string {
  return createHash('sha256').update(sql).digest('hex');
}

/** True when `checksum` is that of this file. A checkout may have changed the line ends. */
export function hasChecksum({ name, sql }: Migration, checksum: string): boolean {
  return [sql, sql.replaceAll('\r\n', '\n')].some((text) => checksumOf({ name, sql: text }) === checksum);
}
