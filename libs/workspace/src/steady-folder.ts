/**
 * A folder that stays the one that was opened, whatever a command puts in its place meanwhile; what is in it is reached through its
 * descriptor, and no link is followed on the way down. Without /proc (macOS) plain paths are used.
 */
import { constants, existsSync, type PathLike } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY } = constants;
const hasProc = existsSync('/proc/self/fd');

/** A name, or the bytes of one that is not UTF-8. */
export type EntryName = string | Buffer;

export class SteadyFolder {
  private constructor(
    private readonly handle: FileHandle,
    private readonly named: PathLike,
  ) {}

  /** Throws as `open` does: ENOTDIR also for a link. */
  static async open(folder: PathLike): Promise<SteadyFolder> {
    return new SteadyFolder(await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), folder);
  }

  /** The folder that the names lead to from the root; to be closed by the caller. */
  static async openBelow(root: string, names: readonly EntryName[]): Promise<SteadyFolder> {
    let folder = await SteadyFolder.open(root);
    for (const name of names) {
      const above = folder;
      try {
        folder = await above.enter(name);
      } finally {
        await above.close();
      }
    }
    return folder;
  }

  /** Runs with the folder that the names lead to from the root. */
  static async with<T>(
    root: string,
    names: readonly EntryName[],
    use: (folder: SteadyFolder) => Promise<T>,
  ): Promise<T> {
    const folder = await SteadyFolder.openBelow(root, names);
    try {
      return await use(folder);
    } finally {
      await folder.close();
    }
  }

  /** A path that leads to this folder as long as it is open. */
  get path(): PathLike {
    return hasProc ? `/proc/self/fd/${this.handle.fd}` : this.named;
  }

  /** The path of an entry. */
  at(name: EntryName): PathLike {
    return typeof name === 'string'
      ? joined(this.path, Buffer.from(name)).toString()
      : joined(this.path, name);
  }

  /** A folder in this one; to be closed by the caller. */
  async enter(name: EntryName): Promise<SteadyFolder> {
    const place = this.at(name);
    const handle = await open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return new SteadyFolder(handle, place);
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

function joined(folder: PathLike, name: Buffer): Buffer {
  const above = Buffer.isBuffer(folder) ? folder : Buffer.from(String(folder));
  return Buffer.concat([above, Buffer.from('/'), name]);
}

/** The names of a path relative to a root; of one that is not UTF-8 as bytes. */
export function entryNames(relative: string, exact?: Buffer): readonly EntryName[] {
  if (exact === undefined) return relative === '' ? [] : relative.split('/');
  // Latin-1 has a character for each byte.
  return exact
    .toString('latin1')
    .split('/')
    .map((name) => Buffer.from(name, 'latin1'));
}
