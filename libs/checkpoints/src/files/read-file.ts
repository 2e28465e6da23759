/** Reads what a scan has found, whatever has taken its place meanwhile: what was opened is looked at again, and no link is followed. */
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import type { BytePath } from './byte-path.js';
import type { HeldFolder } from './held-folder.js';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
const PIECE = 1_048_576;

/** A regular file, open for reading. Throws ENXIO for anything else. */
export class ReadFile {
  readonly stats: Stats;

  private constructor(private readonly descriptor: number) {
    this.stats = fstatSync(descriptor);
  }

  static open(folder: HeldFolder, name: BytePath): ReadFile {
    const file = new ReadFile(openSync(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    if (file.stats.isFile()) return file;
    file.close();
    throw Object.assign(new Error('no longer a file'), { code: 'ENXIO' });
  }

  /** As many bytes as the file had when it was opened; where it became shorter since, the rest is zeros. */
  *pieces(): Generator<Buffer> {
    for (let left = this.stats.size; left > 0;) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE, left));
      const read = readSync(this.descriptor, piece, 0, piece.length, null);
      const given = read === 0 ? piece.fill(0) : piece.subarray(0, read);
      left -= given.length;
      yield given;
    }
  }

  /** Whether nobody wrote to it since it was opened. */
  get isSteady(): boolean {
    const now = fstatSync(this.descriptor);
    return now.size === this.stats.size && now.mtimeMs === this.stats.mtimeMs;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

export function linkTarget(folder: HeldFolder, name: BytePath): Buffer {
  return readlinkSync(folder.at(name), 'buffer');
}
