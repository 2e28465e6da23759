/** The system user that the server runs as. Postgres refuses to run as root, so there it is another user, who must get in. */
import { execFile } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '@bullpen/contracts/errors';

/** Ids to start the server with; null: the user that we are. */
export type ServerUser = { readonly uid: number; readonly gid: number } | null;

const USER = 'postgres';
const SEARCH_BY_OTHERS = 0o001;
const SEARCH_BY_GROUP = 0o010;
const SEARCH_BY_OWNER = 0o100;

const run = promisify(execFile);

/** The user to run the server as. As root this is `postgres`, who is created when the system has none. */
export async function serverUser(): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return null;
  return (await lookUp()) ?? createUser();
}

/** A home that the server's user can reach, to suggest to people. */
function suggestHome(): string {
  return process.getuid?.() === 0 ? '/var/lib/bullpen' : join(homedir(), '.bullpen');
}

/** True when `user` may pass through `folder` and every folder above it. */
export async function canReach(folder: string, user: ServerUser): Promise<boolean> {
  return (await firstClosedFolder(folder, user)) === null;
}

/**
 * Lets the server's user into `home`. Opens `home` itself, which is ours; throws `config_invalid` when a folder above it is
 * closed, as those belong to somebody else.
 */
export async function openHomeFor(user: ServerUser, home: string): Promise<void> {
  if (user === null) return;
  const closed = await firstClosedFolder(dirname(resolve(home)), user);
  if (closed !== null) throw unreachable(closed, home);
  if (!(await isOpen(home, user))) await chmod(home, ((await stat(home)).mode & 0o777) | 0o011);
}

function unreachable(closed: string, home: string): AppError {
  return new AppError(
    'config_invalid',
    `When Bullpen runs as root, the embedded database runs as the user "${USER}", who cannot enter ${closed} on the way to ${home}. ` +
      `Set BULLPEN_HOME to a folder that every user can reach, such as ${suggestHome()}, or start Bullpen as another user.`,
    { details: { folder: closed, suggestedHome: suggestHome() } },
  );
}

async function firstClosedFolder(folder: string, user: ServerUser): Promise<string | null> {
  const path = resolve(folder);
  const parent = dirname(path);
  const above = parent === path ? null : await firstClosedFolder(parent, user);
  if (above !== null) return above;
  return (await isOpen(path, user)) ? null : path;
}

async function isOpen(folder: string, user: ServerUser): Promise<boolean> {
  if (user === null) return true;
  const { uid, gid, mode } = await stat(folder);
  const needed = uid === user.uid ? SEARCH_BY_OWNER : gid === user.gid ? SEARCH_BY_GROUP : SEARCH_BY_OTHERS;
  return (mode & needed) !== 0;
}

async function lookUp(): Promise<ServerUser> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', USER]), run('id', ['-g', USER])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    // `id` fails for a user that does not exist, which is an answer.
    return null;
  }
}

async function createUser(): Promise<ServerUser> {
  try {
    await run('useradd', [
      '--system',
      '--user-group',
      '--no-create-home',
      '--shell',
      '/usr/sbin/nologin',
      USER,
    ]);
  } catch (error) {
    throw new AppError(
      'config_invalid',
      `Postgres does not run as root, and the user "${USER}", which would run it, could not be created. ` +
        `Create that user, start Bullpen as another user, or set DATABASE_URL.`,
      { cause: error },
    );
  }
  const created = await lookUp();
  if (created === null)
    throw new AppError('internal_error', `The user "${USER}" was created but cannot be found`);
  return created;
}
