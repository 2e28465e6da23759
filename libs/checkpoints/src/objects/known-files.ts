/**
 * What the last look at the workspace found, and the tree that it became: files that look the same since are not read again, so that the cost of a
 * checkpoint follows the change. Only a help: without it, everything is read.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { BytePath } from '../files/byte-path.js';
import type { Seen } from '../files/scan.js';

export interface KnownFiles {
  /** The root tree of that checkpoint. */
  readonly tree: string;
  /** Of which workspace: another one starts from nothing. */
  readonly root: string;
  /** The list of modes, as stored. */
  readonly modes: string;
  /** A digest of what else is kept; empty for nothing. */
  readonly attachment: string;
  readonly looks: ReadonlyMap<BytePath, string>;
}

/** A file whose look may hide a change: it is read again. */
export const UNSURE = '?';

/**
 * How a file looks without being read. The time of its last change of any kind is part of it: programs can set back the time of a change of content, and not
 * that one. A change in the very moment of the look may leave all the same.
 */
export function lookOf(seen: Seen, lookedAtMs: number): string {
  if (seen.ctimeMs > lookedAtMs - GRAIN_MS) return UNSURE;
  return `${seen.kind} ${seen.perm} ${seen.size} ${seen.mtimeMs} ${seen.ctimeMs} ${seen.inode}`;
}

/** No file system's clock is coarser, but for FAT's. */
const GRAIN_MS = 2_000;

export async function readKnownFiles(file: string): Promise<KnownFiles | null> {
  try {
    const [head, ...rest] = (await readFile(file, 'latin1')).split('\0');
    const { count, attachment = '', ...known } = JSON.parse(head ?? '') as KnownFiles & { count: number };
    if (rest.length !== count * 2 + 1) return null;
    const looks = new Map<BytePath, string>();
    for (let at = 0; at < count * 2; at += 2) looks.set(rest[at] ?? '', rest[at + 1] ?? UNSURE);
    return { ...known, attachment, looks };
  } catch {
    // None yet, or one that a power cut left in pieces.
    return null;
  }
}

export async function writeKnownFiles(file: string, known: KnownFiles): Promise<void> {
  const { looks, ...head } = known;
  const parts = [JSON.stringify({ ...head, count: looks.size })];
  for (const [path, look] of looks) parts.push(path, look);
  await writeFile(`${file}.new`, `${parts.join('\0')}\0`, 'latin1');
  await rename(`${file}.new`, file);
}
