/** Creates the data folder of an embedded server, once, and refuses one that this version cannot use. */
import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { chown, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '@bullpen/contracts/errors';
import { readIfThere } from '@bullpen/platform';
import type { Programs } from './programs.js';
import { ROLE, type ServerFiles } from './server-files.js';
import type { ServerUser } from './server-user.js';

export interface DataFolderOptions {
  readonly files: ServerFiles;
  readonly programs: Programs;
  readonly user: ServerUser;
  readonly env: NodeJS.ProcessEnv;
  /** False for servers whose data is not needed after a crash of the machine. */
  readonly durable: boolean;
}

/** The password of the server on a data folder that is ready to run; makes both when there is no folder yet. */
export async function prepareDataFolder(options: DataFolderOptions): Promise<string> {
  const { files, user, programs } = options;
  await rm(files.unfinishedData, { recursive: true, force: true });
  const entries = await readdir(files.data).catch(() => []);
  if (entries.length === 0) return makeDataFolder(options);

  const version = await readIfThere(join(files.data, 'PG_VERSION'));
  if (version === null) throw unusable(files, 'is not a PostgreSQL data folder');
  if (version !== programs.majorVersion)
    throw unusable(
      files,
      `was made by PostgreSQL ${version}, and this version of Bullpen comes with PostgreSQL ${programs.majorVersion}. ` +
        `Dump it with the version of Bullpen that made it and restore it into a new folder`,
    );
  const password = await readIfThere(files.password);
  if (password === null) throw unusable(files, `has lost its password file ${files.password}`);
  // A folder that was copied or restored as root belongs to root.
  if (user !== null) await chown(files.data, user.uid, user.gid);
  return password;
}

/** Initialised next to its final place and renamed when it is complete: a crash in the middle leaves nothing that looks like data. */
async function makeDataFolder(options: DataFolderOptions): Promise<string> {
  const { files, user } = options;
  const password = randomBytes(24).toString('base64url');
  await mkdir(files.unfinishedData, { mode: 0o700 });
  if (user !== null) await chown(files.unfinishedData, user.uid, user.gid);
  await writeFile(files.password, `${password}\n`, { mode: 0o600 });
  await runInitdb(options, password);
  await rm(files.data, { recursive: true, force: true });
  await rename(files.unfinishedData, files.data);
  if (options.durable) await syncFolder(files.root);
  return password;
}

async function runInitdb(
  { files, programs, user, env, durable }: DataFolderOptions,
  password: string,
): Promise<void> {
  // `initdb` runs as the server's user, who may not read ours.
  const passwordCopy = join(files.root, 'password.initdb');
  await writeFile(passwordCopy, `${password}\n`, { mode: 0o600 });
  try {
    if (user !== null) await chown(passwordCopy, user.uid, user.gid);
    await promisify(execFile)(programs.initdb, initdbArguments(files, passwordCopy, durable), {
      ...user,
      env,
      cwd: files.unfinishedData,
    });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new AppError(
      'database_unreachable',
      `The embedded database could not be initialised: ${stderr || String(error)}`,
      {
        cause: error,
      },
    );
  } finally {
    await rm(passwordCopy, { force: true });
  }
}

function initdbArguments(files: ServerFiles, passwordFile: string, durable: boolean): string[] {
  return [
    `--pgdata=${files.unfinishedData}`,
    `--username=${ROLE}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The same order of text on every machine, whatever its operating system and version.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
}

/** Makes a rename in the folder last through a power cut. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function unusable(files: ServerFiles, why: string): AppError {
  return new AppError(
    'config_invalid',
    `The folder ${files.data} ${why}; or set BULLPEN_HOME to another folder.`,
    {
      details: { folder: files.data },
    },
  );
}
