/** Other names of a file (hard links) in a workspace: what is protected under one name must be under all. */
import { lstatSync, readdirSync } from 'node:fs';
import { onDisk } from './byte-path.js';

/** A file that has other names, and how many. */
export interface ManyNamed {
  readonly inode: number;
  readonly path: string;
  readonly names: number;
}

/**
 * Paths of the same files, by inode; all are byte strings, relative to the root. Looks until it has found all, since some may lie
 * outside of the workspace. Such files are rare, and without any nothing is looked at.
 */
export function otherNames(root: string, files: readonly ManyNamed[]): Map<number, string[]> {
  const found = new Map(files.map(({ inode }) => [inode, [] as string[]]));
  let missing = files.reduce((sum, { names }) => sum + names - 1, 0);
  const known = new Set(files.map(({ path }) => path));
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined && missing > 0; folder = pending.pop()) {
    for (const entry of entriesOf(`${root}/${folder}`)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) pending.push(path);
      if (!entry.isFile() || known.has(path)) continue;
      const names = found.get(lstatSync(onDisk(`${root}/${path}`), { throwIfNoEntry: false })?.ino ?? 0);
      if (names === undefined) continue;
      names.push(path);
      missing -= 1;
    }
  }
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(onDisk(folder), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    // Gone, or closed to us and therefore hidden as a whole.
    return [];
  }
}
