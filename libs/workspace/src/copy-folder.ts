/** Copies what a folder holds, without what git would ignore. */
import { constants } from 'node:fs';
import { chmod, copyFile, lchown, lstat, mkdir, readlink, symlink } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@bullpen/contracts';
import type { CommandUser } from './command-user.js';
import { walk, type WalkEntry } from './walk.js';

/** Bounds of one copy; over them the task is to work in place. */
export interface CopyLimits {
  readonly files: number;
  readonly bytes: number;
}

/** Enough for large repositories; more takes minutes and fills disks unasked. */
export const DEFAULT_COPY_LIMITS: CopyLimits = { files: 100_000, bytes: 2 * 1_024 ** 3 };

/**
 * What would be copied, sorted by path, folders before their content; `.git` and ignored files are left out.
 * Throws `invalid_workspace` over a limit, or when a part of the source can't be read.
 */
export async function listForCopy(
  source: string,
  limits: CopyLimits,
  signal: AbortSignal,
): Promise<readonly WalkEntry[]> {
  const onUnreadable = (folder: string, cause: unknown): never => {
    const detail = `Can't read ${path.join(source, folder)}, so ${source} can't be copied whole; make it readable or ignore it`;
    throw new AppError('invalid_workspace', detail, { cause });
  };
  const entries = await walk(source, { onUnreadable }, signal);
  const files = entries.filter((entry) => entry.kind === 'file');
  if (files.length > limits.files)
    throw tooLarge(source, `${files.length} files (the limit is ${limits.files})`);
  let bytes = 0;
  for (const file of files) {
    signal.throwIfAborted();
    bytes += (await lstat(path.join(source, file.path))).size;
    if (bytes > limits.bytes) throw tooLarge(source, `more than ${limits.bytes} bytes (the limit)`);
  }
  return entries;
}

function tooLarge(source: string, what: string): AppError {
  return new AppError(
    'invalid_workspace',
    `${source} holds ${what} that are not ignored, too much to copy; ignore more of it, name a smaller folder, or use it in place ("copy": false)`,
  );
}

/** Copies listed entries into an existing empty folder: modes kept, links as they are, all given to the owner when one is named. */
export async function copyEntries(
  source: string,
  target: string,
  entries: readonly WalkEntry[],
  owner: CommandUser | null,
  signal: AbortSignal,
): Promise<void> {
  const folders = entries.filter((entry) => entry.kind === 'folder');
  // Sorted by path, so a folder comes before what is in it.
  for (const folder of folders) await mkdir(path.join(target, folder.path));
  for (const entry of entries) {
    signal.throwIfAborted();
    const from = path.join(source, entry.path);
    const to = path.join(target, entry.path);
    if (entry.kind === 'file') await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    if (entry.kind === 'link') await symlink(await readlink(from), to);
    if (owner) await lchown(to, owner.uid, owner.gid);
  }
  // Last and from the inside out: a folder without write permission could not be filled.
  for (const folder of [...folders].reverse()) {
    await chmod(path.join(target, folder.path), (await lstat(path.join(source, folder.path))).mode & 0o777);
  }
}
