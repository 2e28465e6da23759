/** Which files of a workspace the index reads: what git would not ignore, each once, without other repositories that lie inside. */
import { lstatSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isSecretFile } from '@bullpen/core';
import { walk, type WalkEntry } from '@bullpen/workspace';
import { languageOf, type Language } from '../languages/language.js';

export interface ScannedFile {
  readonly path: string;
  /** Null for a file that only settles how modules are found. */
  readonly language: Language | null;
  /** Changes whenever the file may have: its inode, size and times. */
  readonly stamp: string;
}

/** Files that say how modules of TypeScript and JavaScript are found. */
const SETTINGS = /(?:^|\/)(?:package|[tj]sconfig(?:\.[\w-]+)*)\.json$/;
const AT_ONCE = 64;

/** The files of a workspace that the index reads, and those that settle how modules are found. Throws the reason of the signal. */
export async function scan(root: string, signal: AbortSignal): Promise<readonly ScannedFile[]> {
  const entries = await walk(root, {}, signal);
  const foreign = await foreignFolders(root, entries, signal);
  const wanted = entries.filter(
    ({ path, kind, exact }) =>
      kind === 'file' &&
      exact === undefined &&
      (languageOf(path) !== null || SETTINGS.test(path)) &&
      !isSecretFile(path) &&
      !isBelow(path, foreign),
  );
  const found = await inSlices(wanted, signal, ({ path }) => stampOf(root, path));
  return found.filter((file) => file !== null);
}

/** A look at a file takes microseconds, and a promise for it ten times as long: many at a time, with breaks for all else that goes on. */
async function inSlices<T, R>(
  items: readonly T[],
  signal: AbortSignal,
  look: (item: T) => R,
): Promise<readonly R[]> {
  const found: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    signal.throwIfAborted();
    for (const item of items.slice(at, at + AT_ONCE)) found.push(look(item));
    await setImmediate();
  }
  return found;
}

function stampOf(root: string, path: string): ScannedFile | null {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(join(root, path), { bigint: true });
    const stamp = `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    return { path, language: languageOf(path), stamp };
  } catch {
    return null; // Gone since it was listed.
  }
}

/** Folders with a repository of their own: worktrees and clones are copies or strangers. Submodules are part of this one. */
async function foreignFolders(
  root: string,
  entries: readonly WalkEntry[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const submodules = await submodulesOf(root);
  const folders = entries.filter(({ kind, path }) => kind === 'folder' && !submodules.includes(path));
  const own = await inSlices(folders, signal, ({ path }) => isThere(join(root, path, '.git')));
  return folders.filter((_folder, at) => own[at]).map(({ path }) => path);
}

async function submodulesOf(root: string): Promise<readonly string[]> {
  try {
    const text = await readFile(join(root, '.gitmodules'), 'utf8');
    return [...text.matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)].map((match) => match[1] ?? '');
  } catch {
    return [];
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // A folder that is closed to us holds nothing that is read.
  }
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}
