/**
 * Folders of a workspace as descriptors, each opened from the one above it and never through a link: a folder that a command swaps for a link
 * meanwhile gives an error, not a way out. Without waiting, because a scan looks at a hundred thousand files and hands over after each few.
 * Without /proc (macOS) plain paths are used.
 */
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { bytesOf, type BytePath } from './byte-path.js';

const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY } = constants;
const hasProc = existsSync('/proc/self/fd');

export class HeldFolder {
  private constructor(
    private readonly descriptor: number,
    private readonly named: BytePath,
  ) {}

  /** The root itself may be reached through links: where it is was decided by its owner. */
  static root(folder: string): HeldFolder {
    return new HeldFolder(openSync(folder, O_RDONLY | O_DIRECTORY), Buffer.from(folder).toString('latin1'));
  }

  /** Throws as `open` does: ENOTDIR or ELOOP for a link. */
  enter(name: BytePath): HeldFolder {
    const descriptor = openSync(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return new HeldFolder(descriptor, `${this.named}/${name}`);
  }

  /** A path that leads to an entry of this folder as long as it is open. */
  at(name: BytePath): Buffer {
    return bytesOf(`${this.path}/${name}`);
  }

  /** A path that leads to this folder as long as it is open. */
  get path(): BytePath {
    return hasProc ? `/proc/self/fd/${this.descriptor}` : this.named;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** Opens folders of one tree by path, and keeps the last one: work that comes sorted by path mostly stays in one folder. */
export class HeldFolders {
  private readonly root: HeldFolder;
  private last: { readonly path: BytePath; readonly folder: HeldFolder } | null = null;

  constructor(root: string) {
    this.root = HeldFolder.root(root);
  }

  /** To be used at once: the next call closes it. Throws as `open` does. */
  at(path: BytePath): HeldFolder {
    if (path === '') return this.root;
    if (this.last?.path === path) return this.last.folder;
    this.forget();
    let folder = this.root;
    for (const name of path.split('/')) {
      const above = folder;
      try {
        folder = above.enter(name);
      } finally {
        if (above !== this.root) above.close();
      }
    }
    this.last = { path, folder };
    return folder;
  }

  /** Before a folder is removed or replaced. */
  forget(): void {
    this.last?.folder.close();
    this.last = null;
  }

  close(): void {
    this.forget();
    this.root.close();
  }
}
