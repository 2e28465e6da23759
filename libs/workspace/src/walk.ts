/** Lists what a workspace holds, without what is ignored: one walk for listing, searching and copying, so that they agree. */
import { readdir } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import path from 'node:path';
import { HiddenPaths } from './hidden-paths.js';
import { IgnoreRules } from './ignore-rules.js';

/** One entry. `path` is relative to the root, with `/`. Sockets, pipes and devices are left out. */
export interface WalkEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
}

export interface WalkOptions {
  /** Folder to start in, relative to the root; the entries' paths stay relative to the root. @defaultValue the root */
  readonly from?: string;
  /** How many levels to go down; 1 is the folder's own entries. @defaultValue all */
  readonly maxDepth?: number;
  /** Called for a folder below the start that can't be read; it is listed, its content is not. May throw to stop. */
  readonly onUnreadable?: (relativePath: string, cause: unknown) => void;
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
  const pending = [{ names: start as readonly string[], rules, depth: 1 }];
  for (let folder = pending.pop(); folder; folder = pending.pop()) {
    signal.throwIfAborted();
    const absolute = path.join(root, ...folder.names);
    const entries = await entriesOf(absolute, folder.names, folder.depth === 1, options);
    const hasRules = entries.some((entry) => entry.name === '.gitignore');
    const inside = hasRules ? await folder.rules.inFolder(absolute, folder.names) : folder.rules;
    for (const entry of entries) {
      const kind = kindOf(entry);
      const names = [...folder.names, entry.name];
      const isFolder = kind === 'folder';
      if (kind === null || isOurs(entry.name) || inside.ignores(names, isFolder)) continue;
      if (hidden.hides(names, isFolder)) continue;
      found.push({ path: names.join('/'), kind });
      if (isFolder && folder.depth < (options.maxDepth ?? Infinity)) {
        pending.push({ names, rules: inside, depth: folder.depth + 1 });
      }
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function isOurs(name: string): boolean {
  return name === '.git' || name === OWN_FOLDER || name.startsWith(OWN_TEMP_PREFIX);
}

async function entriesOf(
  absolute: string,
  names: readonly string[],
  isStart: boolean,
  options: WalkOptions,
): Promise<readonly Dirent[]> {
  try {
    return await readdir(absolute, { withFileTypes: true });
  } catch (error) {
    if (isStart) throw error;
    // Gone or closed since its parent was listed: the rest of the tree is still worth having.
    options.onUnreadable?.(names.join('/'), error);
    return [];
  }
}

function kindOf(entry: Dirent): WalkEntry['kind'] | null {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : null;
}
