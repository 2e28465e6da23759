/** The side that changes are brought to: a folder as it is on the disk, whatever git thinks of it, or a tree. */
import { lstatSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { nameOf, parentOf, type BytePath } from '../files/byte-path.js';
import { HeldFolders } from '../files/held-folder.js';
import { linkTarget, ReadFile } from '../files/read-file.js';
import { isGone } from '../files/scan.js';
import type { GitInput } from '../git-program.js';
import type { Entry, Listing } from '../objects/listing.js';
import type { ShadowRepository } from '../objects/shadow-repository.js';
import { entryAt } from '../restore/apply.js';

/** There can be nothing at a path: on the way there is something that is no folder, or nobody may look. */
export interface Blocked {
  readonly kind: 'blocked';
  readonly by: BytePath;
  readonly why: 'in_the_way' | 'closed';
}

/** What changes are brought to, looked at path by path. */
export interface Side {
  /** What is there; null for nothing. */
  look(path: BytePath): Entry | Blocked | null;
  /** Puts the content of what is there, which is no folder, into the store, and gives its id. */
  store(path: BytePath): Promise<string>;
}

/** A folder. Nothing is read through a link. To be closed. */
export class FolderSide implements Side {
  private readonly folders: HeldFolders;

  /** Throws as `open` does. */
  constructor(
    private readonly shadow: ShadowRepository,
    readonly root: string,
  ) {
    if (!isAbsolute(root)) throw new Error(`not an absolute path: ${root}`);
    this.folders = new HeldFolders(root);
  }

  look(path: BytePath): Entry | Blocked | null {
    try {
      return entryAt(this.folders.at(parentOf(path)), nameOf(path));
    } catch (error) {
      if (isClosed(error)) return { kind: 'blocked', by: path, why: 'closed' };
      if (!isGone(error)) throw error;
      return this.blockerOf(path);
    }
  }

  async store(path: BytePath): Promise<string> {
    const folder = this.folders.at(parentOf(path));
    if (lstatSync(folder.at(nameOf(path))).isSymbolicLink())
      return this.put(linkTarget(folder, nameOf(path)));
    const file = ReadFile.open(folder, nameOf(path));
    try {
      return await this.put(piecesOf(file));
    } finally {
      file.close();
    }
  }

  close(): void {
    this.folders.close();
  }

  private put(input: GitInput): Promise<string> {
    return this.shadow.git.line(['hash-object', '-w', '--stdin'], { input });
  }

  /** The uppermost that is there and no folder; null when the way just ends, or something of another kind is at its end. */
  private blockerOf(path: BytePath): Blocked | null {
    const names = path.split('/');
    for (let count = 1; count <= names.length; count += 1) {
      const above = names.slice(0, count).join('/');
      const stats = lstatSync(this.folders.at(parentOf(above)).at(nameOf(above)), { throwIfNoEntry: false });
      if (stats === undefined) return null;
      if (!stats.isDirectory()) return { kind: 'blocked', by: above, why: 'in_the_way' };
    }
    return null;
  }
}

/** A tree whose contents are in the store. */
export class TreeSide implements Side {
  private readonly folders = new Set<BytePath>();

  constructor(private readonly entries: Listing) {
    for (const path of entries.keys())
      for (let above = parentOf(path); above !== '' && !this.folders.has(above); above = parentOf(above))
        this.folders.add(above);
  }

  look(path: BytePath): Entry | Blocked | null {
    for (let above = parentOf(path); above !== ''; above = parentOf(above)) {
      const entry = this.entries.get(above);
      if (entry !== undefined && entry.kind !== 'folder')
        return { kind: 'blocked', by: above, why: 'in_the_way' };
    }
    const entry = this.entries.get(path);
    if (entry !== undefined) return entry;
    return this.folders.has(path) ? { kind: 'folder', blob: null, perm: 0o755 } : null;
  }

  async store(path: BytePath): Promise<string> {
    return Promise.resolve(this.entries.get(path)?.blob ?? '');
  }
}

function isClosed(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM';
}

async function* piecesOf(file: ReadFile): AsyncGenerator<Uint8Array> {
  yield* file.pieces();
  await Promise.resolve();
}
