/**
 * Looks at all that a checkpoint covers, file by file, without reading any: what git would track, tracked files that an ignore rule names
 * included, and the folders around them. No git program and no setting of the workspace takes part. Flags of the user's index (assume-unchanged,
 * sparse) have no meaning here: what is on the disk counts.
 */
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { IgnoreRules, trackedFiles } from '@bullpen/workspace';
import { parentOf, shownPath, type BytePath } from './byte-path.js';
import { HeldFolder } from './held-folder.js';
import { LeftOutNotes } from './left-out.js';

type Hides = (names: readonly string[], isFolder: boolean) => boolean;

export interface Coverage {
  /**
   * Called once for each look at the tree: the rules may lie in it. What it gives says whether nobody may see a path, which then never gets
   * into the store. A hidden folder hides all that it holds.
   */
  readonly hides?: () => Hides;
  /** Texts of ignore files from outside of the tree, like the user's global one; taken over as data. */
  readonly excludes?: readonly string[];
  /** Larger files are left out and named. @defaultValue 50 MB */
  readonly maxFileBytes?: number;
}

export const DEFAULT_MAX_FILE_BYTES = 50_000_000;

export interface Seen {
  readonly kind: 'file' | 'link' | 'folder';
  /** The permission bits, and those for set-id and sticky. */
  readonly perm: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly inode: number;
}

export interface Scan {
  readonly entries: Map<BytePath, Seen>;
  readonly leftOut: LeftOutNotes;
  readonly startedAtMs: number;
}

/** The rules of an ignore file cannot be known: without them anything might be taken for ours. */
export class UnknownRules extends Error {
  override readonly name = 'UnknownRules';
}

/** Throws `UnknownRules`, the signal's reason, and the file system's error when the root cannot be read. */
export async function scan(root: string, coverage: Coverage, signal: AbortSignal): Promise<Scan> {
  const startedAtMs = Date.now();
  const rules = await IgnoreRules.above(root, {
    ...(coverage.excludes && { excludes: coverage.excludes }),
    onUnreadable: (file, cause) => {
      if (isPlainFile(file as string | Buffer))
        throw new UnknownRules(`the ignore rules in ${String(file)} cannot be read: ${String(cause)}`);
    },
  });
  const scanner = new Scanner(root, coverage, signal);
  const folder = HeldFolder.root(root);
  try {
    await scanner.visit(folder, { path: '', names: [], rules, onlyTracked: false });
  } finally {
    folder.close();
  }
  return { entries: scanner.entries, leftOut: scanner.leftOut, startedAtMs };
}

interface Visited {
  readonly path: BytePath;
  /** As ignore rules compare them. */
  readonly names: readonly string[];
  readonly rules: IgnoreRules;
  /** In an ignored folder: nothing but what is tracked all the same. */
  readonly onlyTracked: boolean;
}

/** No path that a program is given may be longer (PATH_MAX), and each level keeps a descriptor open. */
const MAX_PATH_BYTES = 4_096;
/** How many entries are looked at before others get their turn. */
const AT_ONCE = 500;

class Scanner {
  readonly entries = new Map<BytePath, Seen>();
  readonly leftOut = new LeftOutNotes();
  private looked = 0;
  private readonly hides: Hides | undefined;
  private readonly maxFileBytes: number;
  private known: Tracked | null = null;

  constructor(
    private readonly root: string,
    coverage: Coverage,
    private readonly signal: AbortSignal,
  ) {
    this.hides = coverage.hides?.();
    this.maxFileBytes = coverage.maxFileBytes ?? DEFAULT_MAX_FILE_BYTES;
  }

  async visit(folder: HeldFolder, at: Visited): Promise<void> {
    const listed = readdirSync(folder.path, 'latin1');
    const hasRules = listed.includes('.gitignore');
    const rules = hasRules ? await at.rules.inFolder(folder.path, at.names) : at.rules;
    const inside = { ...at, rules };
    for (const name of listed) {
      this.looked += 1;
      if (this.looked % AT_ONCE === 0) await this.othersTurn();
      await this.look(folder, inside, name);
    }
  }

  private async look(folder: HeldFolder, at: Visited, name: BytePath): Promise<void> {
    const path = at.path === '' ? name : `${at.path}/${name}`;
    if (name.toLowerCase() === '.git') {
      if (at.path !== '') this.leftOut.add('repository', at.path, true);
      return;
    }
    if (at.path === '' && name === OWN_FOLDER) return;
    if (name.startsWith(OWN_TEMP_PREFIX)) return;
    const stats = this.statsOf(folder, name, path);
    if (stats === null) return;
    const isFolder = stats.isDirectory();
    const names = [...at.names, shownPath(name)];
    if (this.hides?.(names, isFolder)) return this.leftOut.add('hidden', path, isFolder);
    const isIgnored = at.onlyTracked || at.rules.ignores(names, isFolder);
    if (isIgnored && !this.isTracked(path, isFolder)) {
      if (!at.onlyTracked) this.leftOut.add('ignored', path, isFolder);
      return;
    }
    if (!isFolder) return this.keep(path, stats);
    this.entries.set(path, seen('folder', stats));
    await this.descend(folder, name, { path, names, rules: at.rules, onlyTracked: isIgnored });
  }

  private keep(path: BytePath, stats: Stats): void {
    if (stats.isSymbolicLink()) this.entries.set(path, seen('link', stats));
    else if (!stats.isFile()) this.leftOut.add('special', path);
    else if (stats.size > this.maxFileBytes) this.leftOut.add('oversize', path);
    else this.entries.set(path, seen('file', stats));
  }

  /** One that is gone or a link by now is none of ours; the next checkpoint sees what it has become. */
  private async descend(above: HeldFolder, name: BytePath, at: Visited): Promise<void> {
    if (at.path.length > MAX_PATH_BYTES) return this.leftOut.add('unreadable', at.path, true);
    let folder: HeldFolder;
    try {
      folder = above.enter(name);
    } catch (error) {
      if (!isGone(error)) this.leftOut.add('unreadable', at.path, true);
      return;
    }
    try {
      await this.visit(folder, at);
    } finally {
      folder.close();
    }
  }

  private statsOf(folder: HeldFolder, name: BytePath, path: BytePath): Stats | null {
    try {
      return lstatSync(folder.at(name));
    } catch (error) {
      if (!isGone(error)) this.leftOut.add('unreadable', path);
      return null;
    }
  }

  private isTracked(path: BytePath, isFolder: boolean): boolean {
    this.known ??= trackedIn(this.root);
    return (isFolder ? this.known.folders : this.known.files).has(path);
  }

  private async othersTurn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.signal.throwIfAborted();
  }
}

/** Names of our own in a workspace, as in its walk. */
const OWN_FOLDER = '.bullpen';
export const OWN_TEMP_PREFIX = '.bullpen-tmp-';

interface Tracked {
  readonly files: ReadonlySet<BytePath>;
  readonly folders: ReadonlySet<BytePath>;
}

/** Asked only when something is ignored. */
function trackedIn(root: string): Tracked {
  const files = new Set(trackedFiles(root).map((path) => path.toString('latin1')));
  const folders = new Set<BytePath>();
  for (const file of files)
    for (let folder = parentOf(file); folder !== '' && !folders.has(folder); folder = parentOf(folder))
      folders.add(folder);
  return { files, folders };
}

function seen(kind: Seen['kind'], stats: Stats): Seen {
  return {
    kind,
    perm: kind === 'link' ? 0o777 : stats.mode & 0o7777,
    size: stats.size,
    mtimeMs: stats.mtimeMs,
    ctimeMs: stats.ctimeMs,
    inode: stats.ino,
  };
}

/** Gone, or something else than it was. */
export function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENXIO' || code === 'EINVAL';
}

function isPlainFile(file: string | Buffer): boolean {
  try {
    return lstatSync(file).isFile();
  } catch {
    // Gone: then it has no rules.
    return false;
  }
}
