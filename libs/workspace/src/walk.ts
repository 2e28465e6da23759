/** Lists what a workspace holds, without what is ignored: one walk for listing, searching and copying, so that they agree. */
import { readdir } from 'node:fs/promises';
import type { Dirent, PathLike } from 'node:fs';
import path from 'node:path';
import { HiddenPaths } from './hidden-paths.js';
import { IgnoreRules } from './ignore-rules.js';

/** One entry. `path` is relative to the root, with `/`. Sockets, pipes and devices are left out. */
export interface WalkEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
  /** The bytes of a path that is not UTF-8: `path` shows it, and does not lead to it. */
  readonly exact?: Buffer;
}

/** What has no content of its own. */
export type SpecialKind = 'socket' | 'pipe' | 'device';

export interface WalkOptions {
  /** Folder to start in, relative to the root; the entries' paths stay relative to the root. @defaultValue the root */
  readonly from?: string;
  /** How many levels to go down; 1 is the folder's own entries. @defaultValue all */
  readonly maxDepth?: number;
  /** Called for a folder below the start that can't be read; it is listed, its content is not. May throw to stop. */
  readonly onUnreadable?: (relativePath: string, cause: unknown) => void;
  /** Called for what would be listed if it were a file. */
  readonly onSpecial?: (relativePath: string, kind: SpecialKind) => void;
}

/** Names of our own: never listed, never written through a tool. Temporary files of half-done writes start with the second. */
export const OWN_FOLDER = '.bullpen';
export const OWN_TEMP_PREFIX = '.bullpen-tmp-';

/**
 * Entries below a folder, sorted by code unit. Left out: `.git`, `.bullpen`, what ignore rules exclude, what is hidden from agents. Links are listed and
 * never followed. A start folder that is itself ignored is walked all the same: it was asked for by name.
 * Throws the file system's error when the start folder can't be read, and the signal's reason when aborted.
 */
export async function walk(
  root: string,
  options: WalkOptions,
  signal: AbortSignal,
): Promise<readonly WalkEntry[]> {
  const start = options.from === undefined || options.from === '' ? [] : options.from.split('/');
  let rules = await IgnoreRules.above(root);
  for (let depth = 0; depth < start.length; depth += 1) {
    rules = await rules.inFolder(path.join(root, ...start.slice(0, depth)), start.slice(0, depth));
  }
  const hidden = HiddenPaths.of(root);
  const found: WalkEntry[] = [];
  const pending: Pending[] = [{ names: start, rules, depth: 1 }];
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    signal.throwIfAborted();
    const absolute = absoluteOf(root, { path: folder.names.join('/'), exact: folder.exact });
    const entries = await entriesOf(absolute, folder, options);
    const hasRules = entries.some((entry) => entry.name === '.gitignore');
    const inside = hasRules ? await folder.rules.inFolder(absolute, folder.names) : folder.rules;
    for (const { name, bytes, kind } of entries) {
      const names = [...folder.names, name];
      const relative = names.join('/');
      const isFolder = kind === 'folder';
      if (isOurs(name) || inside.ignores(names, isFolder) || hidden.hides(names, isFolder)) continue;
      if (isSpecial(kind)) {
        options.onSpecial?.(relative, kind);
        continue;
      }
      const exact = exactOf(folder, bytes, name);
      found.push({ path: relative, kind, ...exact });
      if (isFolder && folder.depth < (options.maxDepth ?? Infinity))
        pending.push({ names, ...exact, rules: inside, depth: folder.depth + 1 });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** A folder that is yet to be read. */
interface Pending {
  readonly names: readonly string[];
  readonly exact?: Buffer;
  readonly rules: IgnoreRules;
  readonly depth: number;
}

/** Where an entry is, for the file system. */
export function absoluteOf(
  root: string,
  { path: relative, exact }: Pick<WalkEntry, 'path' | 'exact'>,
): PathLike {
  return exact === undefined ? path.join(root, relative) : Buffer.concat([Buffer.from(`${root}/`), exact]);
}

function isOurs(name: string): boolean {
  return name === '.git' || name === OWN_FOLDER || name.startsWith(OWN_TEMP_PREFIX);
}

interface Listed {
  readonly name: string;
  /** Only where the name is not UTF-8. */
  readonly bytes: Buffer | null;
  readonly kind: WalkEntry['kind'] | SpecialKind;
}

async function entriesOf(
  absolute: PathLike,
  folder: Pending,
  options: WalkOptions,
): Promise<readonly Listed[]> {
  try {
    return await listed(absolute);
  } catch (error) {
    if (folder.depth === 1) throw error;
    // Gone or closed since its parent was listed: the rest of the tree is still worth having.
    options.onUnreadable?.(folder.names.join('/'), error);
    return [];
  }
}

/** What Node cannot decode it replaces by U+FFFD: only then the names are read again as the bytes that they are. */
async function listed(folder: PathLike): Promise<readonly Listed[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (!entries.some(({ name }) => name.includes('\uFFFD')))
    return entries.map((entry) => ({ name: entry.name, bytes: null, kind: kindOf(entry) }));
  const exact = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  return exact.map((entry) => {
    const name = entry.name.toString();
    return { name, bytes: Buffer.from(name).equals(entry.name) ? null : entry.name, kind: kindOf(entry) };
  });
}

function exactOf(folder: Pending, bytes: Buffer | null, name: string): { exact?: Buffer } {
  if (folder.exact === undefined && bytes === null) return {};
  const above = folder.exact ?? Buffer.from(folder.names.join('/'));
  const own = bytes ?? Buffer.from(name);
  return { exact: above.length === 0 ? own : Buffer.concat([above, Buffer.from('/'), own]) };
}

function kindOf(
  entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isSocket' | 'isFIFO'>,
): Listed['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isSocket()) return 'socket';
  return entry.isFIFO() ? 'pipe' : 'device';
}

function isSpecial(kind: Listed['kind']): kind is SpecialKind {
  return kind === 'socket' || kind === 'pipe' || kind === 'device';
}
