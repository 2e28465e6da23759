/**
 * Copies what a folder holds, without what git would ignore. People and programs go on working in it meanwhile: what is gone when
 * its turn comes is left out, and so is what has no content (sockets, pipes, devices); both are told. What is there and cannot
 * be copied ends the copy, with a text that says what it was.
 */
import { constants, existsSync, type PathLike } from 'node:fs';
import { chmod, copyFile, lchown, lstat, mkdir, open, readlink, symlink } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@bullpen/contracts';
import type { CommandUser } from './sandbox/command-user.js';
import { entryNames, SteadyFolder, type EntryName } from './steady-folder.js';
import { absoluteOf, walk, type SpecialKind, type WalkEntry } from './walk.js';

/** Bounds of one copy; over them the task is to work in place. */
export interface CopyLimits {
  readonly files: number;
  readonly bytes: number;
}

/** Enough for large repositories; more takes minutes and fills disks unasked. */
export const DEFAULT_COPY_LIMITS: CopyLimits = { files: 100_000, bytes: 2 * 1_024 ** 3 };

/** Something of the source that its copy or clone has not. */
export interface LeftOut {
  readonly path: string;
  readonly why: 'gone' | SpecialKind | 'submodule' | 'lfs';
}

/** What is to be copied, sorted by path, folders before their content. */
export interface CopyList {
  readonly entries: readonly WalkEntry[];
  /** Grows while the copy is made. */
  readonly leftOut: LeftOut[];
}

/**
 * What would be copied; `.git` and ignored files are no part of it.
 * Throws `invalid_workspace` over a limit, or when a part of the source can't be read.
 */
export async function listForCopy(
  source: string,
  limits: CopyLimits,
  signal: AbortSignal,
): Promise<CopyList> {
  const leftOut: LeftOut[] = [];
  const onSpecial = (special: string, why: SpecialKind): void => void leftOut.push({ path: special, why });
  const onUnreadable = (folder: string, cause: unknown): void => {
    if (!isGone(cause)) throw copyProblem(cause, source, folder);
    leftOut.push({ path: folder, why: 'gone' });
  };
  const entries = await walk(source, { onUnreadable, onSpecial }, signal).catch((error: unknown) => {
    if (signal.aborted || error instanceof AppError) throw error;
    throw copyProblem(error, source, '');
  });
  const files = entries.filter((entry) => entry.kind === 'file');
  if (files.length > limits.files)
    throw tooLarge(source, `${files.length} files (the limit is ${limits.files})`);
  let bytes = 0;
  for (const file of files) {
    signal.throwIfAborted();
    // One that is gone by now is found out when it is copied.
    const stats = await told(source, file, unlessGone(lstat(absoluteOf(source, file))));
    bytes += stats?.size ?? 0;
    if (bytes > limits.bytes) throw tooLarge(source, `more than ${limits.bytes} bytes (the limit)`);
  }
  return { entries, leftOut };
}

function tooLarge(source: string, what: string): AppError {
  return new AppError(
    'invalid_workspace',
    `${source} holds ${what} that are not ignored, which is too much to copy; ignore more of it, name a smaller folder, or use it in place ("copy": false)`,
  );
}

/**
 * Copies listed entries into an existing empty folder: names byte for byte, modes kept, links as they are, all given to the owner
 * when one is named. Throws `invalid_workspace` for what can't be read or has no room for its name, `workspace_failed` for the rest.
 */
export async function copyEntries(
  source: string,
  target: string,
  { entries, leftOut }: CopyList,
  owner: CommandUser | null,
  signal: AbortSignal,
): Promise<void> {
  const folders = entries.filter((entry) => entry.kind === 'folder');
  // Sorted by path, so a folder comes before what is in it.
  for (const folder of folders) await told(source, folder, mkdir(absoluteOf(target, folder)));
  const from = new SourceFolders(source);
  try {
    for (const entry of entries) {
      signal.throwIfAborted();
      const copied = await told(source, entry, copyOne(from, target, entry));
      if (!copied) leftOut.push({ path: entry.path, why: 'gone' });
      else if (owner) await lchown(absoluteOf(target, entry), owner.uid, owner.gid);
    }
  } finally {
    await from.close();
  }
  // Last and from the inside out: a folder without write permission could not be filled.
  for (const folder of [...folders].reverse()) {
    const stats = await unlessGone(lstat(absoluteOf(source, folder)));
    if (stats) await chmod(absoluteOf(target, folder), stats.mode & 0o777);
  }
}

/** False when it is gone. */
async function copyOne(from: SourceFolders, target: string, entry: WalkEntry): Promise<boolean> {
  if (entry.kind === 'folder') return true;
  const to = absoluteOf(target, entry);
  const names = [...entryNames(entry.path, entry.exact)];
  const name = names.pop() ?? '';
  // A program that saves a file puts a new one in its place: a second look finds that.
  for (const isLast of [false, true]) {
    try {
      const folder = await from.at(names);
      if (entry.kind === 'file') await copyPlainFile(folder.at(name), to);
      else await symlink(await readlink(folder.at(name), { encoding: 'buffer' }), to);
      return true;
    } catch (error) {
      if (!isGone(error)) throw error;
      if (isLast) return false;
    }
  }
  return false;
}

/** What was a file when it was listed may be a link out of the source by now: it is opened as a file, and what was opened is copied. */
async function copyPlainFile(from: PathLike, to: PathLike): Promise<void> {
  const handle = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile())
      throw Object.assign(new Error('no longer a file'), { code: 'ENXIO' });
    const opened = hasProc ? `/proc/self/fd/${handle.fd}` : from;
    await copyFile(opened, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } finally {
    await handle.close();
  }
}

const hasProc = existsSync('/proc/self/fd');

/** Folders of the source, of which the last one is kept open: entries come sorted, so most are in the same folder as the one before. */
class SourceFolders {
  private key: string | null = null;
  private folder: SteadyFolder | null = null;

  constructor(private readonly source: string) {}

  async at(names: readonly EntryName[]): Promise<SteadyFolder> {
    const key = names
      .map((name) => (typeof name === 'string' ? name : `\0${name.toString('latin1')}`))
      .join('/');
    if (this.folder !== null && this.key === key) return this.folder;
    await this.close();
    this.folder = await SteadyFolder.openBelow(this.source, names);
    this.key = key;
    return this.folder;
  }

  async close(): Promise<void> {
    await this.folder?.close();
    this.folder = null;
  }
}

/** Gone, or something else than it was. */
function isGone(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return (
    code === 'ENOENT' ||
    code === 'ENOTDIR' ||
    code === 'EISDIR' ||
    code === 'ENXIO' ||
    code === 'ELOOP' ||
    code === 'ESTALE' ||
    (code === 'EINVAL' && syscall === 'readlink')
  );
}

function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: unknown) => {
    if (isGone(error)) return null;
    throw error;
  });
}

async function told<T>(source: string, entry: WalkEntry, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw copyProblem(error, source, entry.path);
  }
}

function copyProblem(cause: unknown, source: string, entry: string): AppError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const what = path.join(source, entry);
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return new AppError(
        'invalid_workspace',
        `Can't read ${what}, so ${source} can't be copied completely; make it readable or ignore it`,
        { cause },
      );
    case 'ENAMETOOLONG':
      return new AppError(
        'invalid_workspace',
        `The path of ${what} would be too long in the copy of ${source}; ignore it, or use the folder in place ("copy": false)`,
        { cause },
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new AppError(
        'workspace_failed',
        `The disk is full: ${what} could not be copied (${code}); make room and retry the task`,
        { cause },
      );
    default:
      return new AppError('workspace_failed', `${what} could not be copied: ${message}`, { cause });
  }
}
