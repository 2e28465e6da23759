/** The entries at a place: of a folder what it holds, of a file the file itself. */
import { lstat } from 'node:fs/promises';
import { walk, type InsidePath, type WalkEntry } from '@bullpen/workspace';

/** Sorted by path; null when the place can't be read. A file is listed even when it is ignored: it was asked for by name. */
export async function entriesAt(
  place: InsidePath,
  maxDepth: number,
  signal: AbortSignal,
): Promise<readonly WalkEntry[] | null> {
  try {
    const stats = await lstat(place.absolute);
    if (stats.isFile()) return [{ path: place.relative, kind: 'file' }];
    return await walk(place.root, { from: place.relative, maxDepth }, signal);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EACCES' || code === 'EPERM' || code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
