/** Lists what a workspace holds, without what is ignored: one walk for listing, searching and copying, so that they agree. */
import { readdir } from 'node:fs/promises';
import type { Dirent, PathLike } from 'node:fs';
import path from 'node:path';
import { HiddenPaths } from './hidden-paths.js';
import { IgnoreRules } from './ignore-rules.js';
import { SteadyFolder, type EntryName } from './steady-folder.js';

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
  const walker = new Walker(HiddenPaths.of(root), options, signal);
  await SteadyFolder.with(root, start, (folder) => walker.visit(folder, { names: start, rules, depth: 1 }));
  return walker.found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** A folder that is to be read. */
interface Pending {
  readonly names: readonly string[];
  readonly exact?: Buffer;
  readonly rules: IgnoreRules;
  readonly depth: number;
}

/** Goes down folder by folder, each opened from the one above it: one that is swapped for a link meanwhile is not entered. */
class Walker {
  readonly found: WalkEntry[] = [];

  constructor(
    private readonly hidden: HiddenPaths,
    private readonly options: WalkOptions,
    private readonly signal: AbortSignal,
  ) {}

  async visit(folder: SteadyFolder, pending: Pending): Promise<void> {
    this.signal.throwIfAborted();
    const entries = await entriesOf(folder.path, pending, this.options);
    const hasRules = entries.some((entry) => entry.name === '.gitignore');
    const inside = hasRules ? await pending.rules.inFolder(folder.path, pending.names) : pending.rules;
    for (const { name, bytes, kind } of entries) {
      const names = [...pending.names, name];
      const isFolder = kind === 'folder';
      if (isOurs(name) || inside.ignores(names, isFolder) || this.hidden.hides(names, isFolder)) continue;
      if (isSpecial(kind)) {
        this.options.onSpecial?.(names.join('/'), kind);
        continue;
      }
      const exact = exactOf(pending, bytes, name);
      this.found.push({ path: names.join('/'), kind, ...exact });
      if (isFolder && pending.depth < (this.options.maxDepth ?? Infinity))
        await this.descend(folder, bytes ?? name, {
          names,
          ...exact,
          rules: inside,
          depth: pending.depth + 1,
        });
    }
  }

  private async descend(above: SteadyFolder, name: EntryName, pending: Pending): Promise<void> {
    const folder = await this.enter(above, name, pending);
    if (folder === null) return;
    try {
      await this.visit(folder, pending);
    } finally {
      await folder.close();
    }
  }

  /** Null for one that is gone or closed since its parent was listed: the rest of the tree is still worth having. */
  private async enter(above: SteadyFolder, name: EntryName, pending: Pending): Promise<SteadyFolder | null> {
    if (Buffer.byteLength(pending.names.join('/')) > MAX_PATH_BYTES) {
      this.options.onUnreadable?.(pending.names.join('/'), tooLong());
      return null;
    }
    try {
      return await above.enter(name);
    } catch (error) {
      this.options.onUnreadable?.(pending.names.join('/'), error);
      return null;
    }
  }
}

/** No path is longer (PATH_MAX), and each level keeps a descriptor open. */
const MAX_PATH_BYTES = 4_096;

function tooLong(): NodeJS.ErrnoException {
  return Object.assign(new Error('the path is too long'), { code: 'ENAMETOOLONG' });
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
