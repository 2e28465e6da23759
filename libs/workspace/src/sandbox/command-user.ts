/** The unprivileged user that commands run as when the worker is root. */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { chmod, lchown, mkdir, readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '@bullpen/contracts';
import { ownFolder, passedByOthers } from '@bullpen/platform';

export interface CommandUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Looks up a user by name; null when there is none, or when it is root by another name.
 * Reads /etc/passwd, then asks `id`, which also knows users of directory services.
 */
export async function nobodyUser(name = 'nobody'): Promise<CommandUser | null> {
  const user = (await userFromPasswd(name)) ?? (await userFromId(name));
  return user === null || user.uid === 0 ? null : user;
}

async function userFromPasswd(name: string): Promise<CommandUser | null> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find(([user]) => user === name);
  return toUser(fields?.[2], fields?.[3]);
}

async function userFromId(name: string): Promise<CommandUser | null> {
  const idOf = async (flag: '-u' | '-g'): Promise<string> =>
    (await promisify(execFile)('id', [flag, '--', name])).stdout.trim();
  try {
    return toUser(await idOf('-u'), await idOf('-g'));
  } catch {
    // `id` fails for an unknown name, and where it is not installed: both mean that there is no such user to be had.
    return null;
  }
}

function toUser(uid: string | undefined, gid: string | undefined): CommandUser | null {
  return /^\d+$/.test(uid ?? '') && /^\d+$/.test(gid ?? '') ? { uid: Number(uid), gid: Number(gid) } : null;
}

/** The user to drop to: null when this process is not root and so can't. Throws `tool_failed` for root without a user. */
export function userToDropTo(user: CommandUser | null): CommandUser | null {
  if (process.getuid?.() !== 0) return null;
  if (user !== null && user.uid !== 0) return user;
  throw new AppError(
    'tool_failed',
    'Commands never run as root, and no other user is set for them; set the command user, or start the worker as an ordinary user',
  );
}

/**
 * The folder above or at `folder` that the user can't enter; null when the way is free. Said before a command runs, since a
 * shell in an unreachable folder fails in puzzling ways.
 */
export function closedFolder(folder: string, user: CommandUser): string | null {
  for (let current = path.resolve(folder); ; current = path.dirname(current)) {
    const { mode, enter } = entryOf(current, user);
    if ((mode & enter) === 0) return current;
    if (current === path.dirname(current)) return null;
  }
}

/**
 * Lets the command user pass through a folder that is ours and holds the workspaces; listing it stays closed. Makes the folder
 * when it is not there. Does nothing where commands run as the user that we are.
 */
export async function letThrough(folder: string, user: CommandUser | null): Promise<void> {
  if (user === null || process.getuid?.() !== 0) return;
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const { mode, enter } = entryOf(folder, user);
  if ((mode & enter) === 0) await chmod(folder, (mode & 0o7777) | enter);
}

/** The folder's mode, and the bit in it that lets the user pass. */
function entryOf(folder: string, user: CommandUser): { mode: number; enter: number } {
  const { mode, uid, gid } = statSync(folder);
  return { mode, enter: uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001 };
}

/**
 * A home folder for the commands of one workspace, outside of it: made on first use, kept, private to the command user.
 * Safe to call at the same time from several workers.
 * @param homesRoot a folder that only this installation writes to
 */
export async function prepareHome(
  homesRoot: string,
  workspacePath: string,
  user: CommandUser | null,
): Promise<string> {
  const home = homeOf(homesRoot, workspacePath);
  ownFolder(homesRoot, passedByOthers());
  await mkdir(home, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  // Each time, since a crash may have come between making it and giving it away.
  if (user && process.getuid?.() === 0) await lchown(home, user.uid, user.gid);
  return home;
}

/** Where that home is. */
export function homeOf(homesRoot: string, workspacePath: string): string {
  const name = createHash('sha256').update(workspacePath).digest('hex').slice(0, 20);
  return path.join(homesRoot, name);
}
