/** Which files of a workspace the index reads: what git would not ignore, each once, without other repositories that lie inside. */
import { lstat, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecretFile } from '@bullpen/core';
import { walk, type WalkEntry } from '@bullpen/workspace';
import { languageOf, type Language } from '../languages/language.js';

export interface ScannedFile {
  readonly path: string;
  /** Null for a file that only settles how modules are found. */
  readonly language: Language | null;
  /** Changes whenever the file may have: its inode, size and times. */
  readonly stamp: string;
  readonly size: number;
}

/** Files that say how modules of TypeScript and JavaScript are found. */
const SETTINGS = /(?:^|\/)(?:package|[tj]sconfig(?:\.[\w-]+)*)\.json$/;
const AT_ONCE = 64;

/** The files of a workspace that the index reads, and those that settle how modules are found. Throws the reason of the signal. */
export async function scan(root: string, signal: AbortSignal): Promise<readonly ScannedFile[]> {
  const entries = await walk(root, {}, signal);
  const foreign = await foreignFolders(root, entries);
  const wanted = entries.filter(
    ({ path, kind, exact }) =>
      kind === 'file' &&
      exact === undefined &&
      (languageOf(path) !== null || SETTINGS.test(path)) &&
      !isSecretFile(path) &&
      !isBelow(path, foreign),
  );
  const found: ScannedFile[] = [];
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    signal.throwIfAborted();
    const stamped = await Promise.all(wanted.slice(at, at + AT_ONCE).map((entry) => stamp(root, entry)));
    found.push(...stamped.filter((file) => file !== null));
  }
  return found;
}

async function stamp(root: string, entry: WalkEntry): Promise<ScannedFile | null> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(join(root, entry.path), { bigint: true });
    return {
      path: entry.path,
      language: languageOf(entry.path),
      stamp: `${ino} ${size} ${mtimeNs} ${ctimeNs}`,
      size: Number(size),
    };
  } catch {
    return null; // Gone since it was listed.
  }
}

/** Folders with a repository of their own: worktrees and clones are copies or strangers. Submodules are part of this one. */
async function foreignFolders(root: string, entries: readonly WalkEntry[]): Promise<readonly string[]> {
  const submodules = await submodulesOf(root);
  const folders = entries.filter(({ kind, path }) => kind === 'folder' && !submodules.includes(path));
  const found: string[] = [];
  for (let at = 0; at < folders.length; at += AT_ONCE) {
    const some = folders.slice(at, at + AT_ONCE);
    const own = await Promise.all(some.map(({ path }) => exists(join(root, path, '.git'))));
    found.push(...some.filter((_folder, index) => own[index]).map(({ path }) => path));
  }
  return found;
}

async function submodulesOf(root: string): Promise<readonly string[]> {
  try {
    const text = await readFile(join(root, '.gitmodules'), 'utf8');
    return [...text.matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)].map((match) => match[1] ?? '');
  } catch {
    return [];
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}
