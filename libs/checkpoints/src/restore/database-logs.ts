/**
 * Databases keep logs beside their file, as SQLite does. An older file that is read together with a newer log, or the other way round, is damaged: they go back
 * together or not at all.
 */
import { lstatSync } from 'node:fs';
import { nameOf, parentOf, type BytePath } from '../files/byte-path.js';
import { HeldFolders } from '../files/held-folder.js';
import { isGone } from '../files/scan.js';
import type { Difference, Listing } from '../objects/listing.js';

const LOG = /-(wal|journal|shm)$/;
/** What they hold counts; the third kind is made anew. */
const KEPT = ['-wal', '-journal'];

/** Those of the paths beside which there is a log in this folder that no checkpoint holds. */
export function withUncoveredLogs(
  root: string,
  covered: Listing,
  paths: Iterable<BytePath>,
): ReadonlySet<BytePath> {
  const folders = new HeldFolders(root);
  try {
    const hasLog = (path: BytePath): boolean =>
      KEPT.some((log) => !covered.has(path + log) && sizeOf(folders, path + log) > 0);
    return new Set([...paths].filter(hasLog));
  } finally {
    folders.close();
  }
}

/** Changes of a database's file together with those of its logs; each group has a log in it. */
export function databasesIn(changes: readonly Difference[]): readonly (readonly Difference[])[] {
  const logged = new Set(changes.flatMap(({ path }) => (LOG.test(path) ? [path.replace(LOG, '')] : [])));
  const groups = new Map<BytePath, Difference[]>([...logged].map((file) => [file, []]));
  for (const change of changes) groups.get(change.path.replace(LOG, ''))?.push(change);
  return [...groups.values()];
}

function sizeOf(folders: HeldFolders, path: BytePath): number {
  try {
    return lstatSync(folders.at(parentOf(path)).at(nameOf(path))).size;
  } catch (error) {
    // Nobody can read together what nobody can look at.
    if (isGone(error) || (error as NodeJS.ErrnoException).code === 'EACCES') return 0;
    throw error;
  }
}
