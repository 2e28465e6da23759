/**
 * Opens files of a workspace without ever following a link, whatever happens between check and use: each folder is opened
 * from the one above it, and the file from its folder's descriptor. A swapped folder or link then gives an error, not a way
 * out. Without /proc (macOS) plain paths are used; there the check is only as good as its moment.
 */
import { constants, existsSync } from 'node:fs';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { InsidePath, Refusal } from './confine.js';
import { noteOwnWrite } from './sandbox/own-writes.js';
import { OWN_TEMP_PREFIX } from './walk.js';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK } = constants;

export type OpenedFile = { readonly ok: true; readonly handle: FileHandle; readonly size: number } | Refusal;

/** Opens a regular file for reading; the caller closes the handle. Folders, pipes, devices and links are refused. */
export async function openForReading(place: InsidePath): Promise<OpenedFile> {
  const names = place.relative.split('/');
  const name = names.pop() ?? '';
  if (name === '') return refusal(place, 'is a folder');
  try {
    return await withFolder(place.root, names, async (folder) => {
      // Non-blocking: opening a pipe would else wait for its writer.
      const handle = await open(`${folder}/${name}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      const stats = await handle.stat();
      if (stats.isFile()) return { ok: true as const, handle, size: stats.size };
      await handle.close();
      return refusal(place, stats.isDirectory() ? 'is a folder' : 'is not a regular file');
    });
  } catch (error) {
    return explainOpen(error, place);
  }
}

/** How a file came to be written. */
export type WriteResult = { readonly ok: true; readonly created: boolean } | Refusal;

/**
 * Writes a whole file so that others see the old content or the new, never a part. Missing folders are made. An existing
 * file keeps its mode and owner; what is new belongs, when this process is root, to the owner of the folder it is in.
 * @param writeId names the temporary file: the same write, repeated after a crash, cleans up after itself.
 */
export async function writeFileInside(
  place: InsidePath,
  content: string,
  writeId: string,
): Promise<WriteResult> {
  const names = place.relative.split('/');
  const name = names.pop() ?? '';
  try {
    return await withFolder(
      place.root,
      names,
      (folder, owner) =>
        replaceFile(place, { folder, owner, name, temp: `${OWN_TEMP_PREFIX}${writeId}` }, content),
      { createMissing: true },
    );
  } catch (error) {
    return explainOpen(error, place);
  }
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}
interface Target {
  readonly folder: string;
  readonly owner: Owner;
  readonly name: string;
  readonly temp: string;
}

async function replaceFile(place: InsidePath, target: Target, content: string): Promise<WriteResult> {
  const existing = await existingFile(`${target.folder}/${target.name}`);
  if (existing === 'not_a_file') return refusal(place, 'is not a regular file');
  const temp = `${target.folder}/${target.temp}`;
  await rm(temp, { force: true });
  const handle = await open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    await handle.writeFile(content, 'utf8');
    await giveTo(handle, existing ?? target.owner);
    if (existing) await handle.chmod(existing.mode & 0o777);
    // Before the rename: after a power cut the name must not point to a file without its content.
    await handle.datasync();
    // Before the rename as well: a command that ends meanwhile must not take it for its own.
    noteOwnWrite(await handle.stat());
    await rename(temp, `${target.folder}/${target.name}`);
  } catch (error) {
    await rm(temp, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return { ok: true, created: existing === null };
}

async function existingFile(file: string): Promise<(Owner & { mode: number }) | null | 'not_a_file'> {
  try {
    const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = await handle.stat();
      return stats.isFile() ? { uid: stats.uid, gid: stats.gid, mode: stats.mode } : 'not_a_file';
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP' || code === 'ENXIO') return 'not_a_file';
    throw error;
  }
}

async function giveTo(handle: FileHandle, owner: Owner): Promise<void> {
  if (process.getuid?.() === 0) await handle.chown(owner.uid, owner.gid);
}

/** Runs with the path of a folder that stays the folder that was checked, however the tree changes meanwhile. */
async function withFolder<T>(
  root: string,
  names: readonly string[],
  use: (folder: string, owner: Owner) => Promise<T>,
  options: { readonly createMissing?: boolean } = {},
): Promise<T> {
  let absolute = root;
  let handle = await open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    for (const name of names) {
      const child = `${steadyPath(handle, absolute)}/${name}`;
      const next = await openFolder(child, handle, options.createMissing ?? false);
      await handle.close();
      handle = next;
      absolute = path.join(absolute, name);
    }
    const { uid, gid } = await handle.stat();
    return await use(steadyPath(handle, absolute), { uid, gid });
  } finally {
    await handle.close();
  }
}

async function openFolder(child: string, parent: FileHandle, createMissing: boolean): Promise<FileHandle> {
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  try {
    return await open(child, flags);
  } catch (error) {
    if (!createMissing || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await mkdir(child).catch((error: NodeJS.ErrnoException) => {
    // Made by someone else since: as good.
    if (error.code !== 'EEXIST') throw error;
  });
  const made = await open(child, flags);
  noteOwnWrite(await made.stat());
  await giveTo(made, await parent.stat());
  return made;
}

const hasProc = existsSync('/proc/self/fd');

function steadyPath(handle: FileHandle, absolute: string): string {
  return hasProc ? `/proc/self/fd/${handle.fd}` : absolute;
}

function explainOpen(error: unknown, place: InsidePath): Refusal {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return { ...refusal(place, 'does not exist in the workspace'), code: 'not_found' };
    case 'ELOOP':
    case 'ENOTDIR':
      return refusal(place, 'was replaced by a symbolic link or a file meanwhile; look at the folder again');
    case 'EACCES':
    case 'EPERM':
      return refusal(place, "can't be opened: permission denied");
    case 'EISDIR':
      return refusal(place, 'is a folder');
    case 'ENXIO':
      return refusal(place, 'is not a regular file');
    case 'ENAMETOOLONG':
      return refusal(place, 'has a name that is too long (255 bytes at most)');
    case 'ENOSPC':
    case 'EDQUOT':
      return refusal(place, "can't be written: the disk is full");
    case 'EROFS':
      return refusal(place, "can't be written: the file system is read-only");
    default:
      throw error;
  }
}

function refusal(place: InsidePath, what: string): Refusal {
  return { ok: false, code: 'refused', reason: `${JSON.stringify(place.relative || '.')} ${what}` };
}
