/** Ranges of the output that `OutputWriter` keeps, also while it is written. */
import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

export interface OutputPiece {
  readonly from: number;
  readonly to: number;
}

export interface OutputRange {
  /** Place of the first byte; later than asked for where that was not kept. */
  readonly from: number;
  readonly bytes: Buffer;
}

/** The output of one process as it is on disk now. */
export class KeptOutput {
  private constructor(
    private readonly folder: string,
    /** In order, never empty ones. */
    private readonly pieces: readonly OutputPiece[],
  ) {}

  /** Null when there is nothing: the process has written nothing yet, or its output is not on this machine. */
  static async open(folder: string): Promise<KeptOutput | null> {
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (names === null) return null;
    const pieces = await Promise.all(
      names.filter((name) => /^\d+$/.test(name)).map((name) => pieceOf(folder, name)),
    );
    const kept = pieces.filter((piece) => piece !== null && piece.to > piece.from) as OutputPiece[];
    return new KeptOutput(
      folder,
      kept.sort((a, b) => a.from - b.from),
    );
  }

  get size(): number {
    return this.pieces.at(-1)?.to ?? 0;
  }

  /** What was not kept, because there was too much of it. */
  get leftOut(): readonly OutputPiece[] {
    return this.pieces.flatMap(({ from }, at) => {
      const before = this.pieces[at - 1]?.to ?? 0;
      return from > before ? [{ from: before, to: from }] : [];
    });
  }

  /** At most `limit` bytes from a place on, up to what was left out or the end. A place below 0 counts from the end. */
  async read(from: number, limit: number): Promise<OutputRange> {
    const wanted = from < 0 ? Math.max(0, this.size + from) : Math.min(from, this.size);
    const first = this.pieces.findIndex(({ to }) => to > wanted);
    if (first < 0) return { from: wanted, bytes: Buffer.alloc(0) };
    const start = Math.max(wanted, this.pieces[first]?.from ?? 0);
    const parts: Buffer[] = [];
    let at = start;
    for (const piece of this.pieces.slice(first)) {
      if (piece.from > at || at - start >= limit) break;
      const part = await this.readPiece(piece, at, Math.min(piece.to, start + limit));
      parts.push(part);
      at += part.length;
      if (at < Math.min(piece.to, start + limit)) break; // It was removed or cut meanwhile.
    }
    return { from: start, bytes: Buffer.concat(parts) };
  }

  private async readPiece({ from }: OutputPiece, start: number, end: number): Promise<Buffer> {
    const name = path.join(this.folder, String(from));
    const file = await open(name, constants.O_RDONLY | constants.O_NOFOLLOW).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null; // Its place was needed for what is newer.
        throw error;
      },
    );
    if (file === null) return Buffer.alloc(0);
    try {
      const buffer = Buffer.allocUnsafe(end - start);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start - from);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }
}

async function pieceOf(folder: string, name: string): Promise<OutputPiece | null> {
  const found = await stat(path.join(folder, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return found && { from: Number(name), to: Number(name) + found.size };
}
