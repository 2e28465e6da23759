/**
 * Reads files of a workspace in the worker's only thread, whatever a command has put in their place: a pipe that nobody writes to, a
 * device without end or a link are no files here, and no more is read than was promised.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type PathLike } from 'node:fs';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

/** The content of a regular file; null when there is nothing of that name. Throws for what is no regular file, too large or closed to us. */
export function readPlainFile(file: PathLike, maxBytes: number): Buffer | null {
  return withPlainFile(file, (opened, size) => {
    if (size > maxBytes) throw new Error(`${String(file)} has more than ${maxBytes} bytes`);
    return readStart(opened, size);
  });
}

/** The first bytes of a regular file, and its size; else as `readPlainFile`. */
export function startOfPlainFile(file: PathLike, bytes: number): { start: Buffer; size: number } | null {
  return withPlainFile(file, (opened, size) => ({ start: readStart(opened, Math.min(bytes, size)), size }));
}

function withPlainFile<T>(file: PathLike, use: (opened: number, size: number) => T): T | null {
  const opened = openIfThere(file);
  if (opened === null) return null;
  try {
    const stats = fstatSync(opened);
    if (!stats.isFile()) throw new Error(`${String(file)} is not a regular file`);
    return use(opened, stats.size);
  } finally {
    closeSync(opened);
  }
}

function openIfThere(file: PathLike): number | null {
  try {
    // Non-blocking: opening a pipe would else wait for its writer.
    return openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** A file that grows meanwhile is read as far as it went. */
function readStart(opened: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const read = readSync(opened, bytes, length, size - length, null);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}
