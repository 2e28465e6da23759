/**
 * The output of one process on disk, byte for byte, as a folder of pieces that are named after the place of their first byte. The
 * first half of the cap and the newest half of it are kept; between them whole pieces go as new ones come. Whoever reads needs
 * nothing but the folder, also while the process runs.
 */
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { OutputSink } from './running-command.js';

export interface OutputCap {
  /** Of one process on disk. @defaultValue 64 MiB */
  readonly maxBytes?: number;
  /** @defaultValue 4 MiB */
  readonly pieceBytes?: number;
}

/** So much may wait for the disk; then the process waits, too. */
const MAX_WAITING_BYTES = 4 * 1024 ** 2;

export class OutputWriter implements OutputSink {
  /** Bytes of output so far. */
  size = 0;
  /** Why the rest could not be kept; null when all is well. The process goes on, and its output is still read. */
  problem: Error | null = null;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private writing: Promise<void> | null = null;
  private piece: { readonly handle: FileHandle; bytes: number } | null = null;
  private written = 0;
  private readonly tail: number[] = [];
  private readonly maxBytes: number;
  private readonly pieceBytes: number;

  constructor(
    private readonly folder: string,
    { maxBytes = 64 * 1024 ** 2, pieceBytes = 4 * 1024 ** 2 }: OutputCap = {},
  ) {
    this.maxBytes = maxBytes;
    this.pieceBytes = pieceBytes;
  }

  /** Reads a stream to its end, no faster than the disk takes it. `onChunk` sees each piece as it comes; must not throw. */
  async drain(output: Readable, onChunk: (chunk: Buffer) => void): Promise<void> {
    output.on('data', (chunk: Buffer) => {
      this.append(chunk);
      onChunk(chunk);
      if (this.waitingBytes < MAX_WAITING_BYTES) return;
      output.pause();
      void this.flushed().then(() => output.resume());
    });
    await new Promise<void>((resolve) => output.once('close', resolve));
    await this.close();
  }

  /** Resolves when everything so far can be read from the disk. */
  async flushed(): Promise<void> {
    while (this.writing !== null) await this.writing;
  }

  private append(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.problem !== null) return;
    this.waiting.push(chunk);
    this.waitingBytes += chunk.length;
    this.writing ??= this.writeAll();
  }

  private async close(): Promise<void> {
    await this.flushed();
    await this.piece?.handle.close().catch((error: Error) => (this.problem ??= error));
    this.piece = null;
  }

  /** Never rejects: what is wrong is said with the result of the process. */
  private async writeAll(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        const batch = this.waiting;
        this.waiting = [];
        this.waitingBytes = 0;
        await this.write(batch);
      }
    } catch (error) {
      this.problem = error instanceof Error ? error : new Error(String(error));
      this.waiting = [];
      this.waitingBytes = 0;
    } finally {
      this.writing = null;
    }
  }

  private async write(batch: readonly Buffer[]): Promise<void> {
    const piece = await this.currentPiece();
    const bytes = batch.reduce((sum, { length }) => sum + length, 0);
    // A batch may make a piece longer than the rest; what counts is that pieces are bounded.
    const { bytesWritten } = await piece.handle.writev(batch);
    if (bytesWritten < bytes) throw new Error('the disk takes no more');
    piece.bytes += bytes;
    this.written += bytes;
  }

  private async currentPiece(): Promise<NonNullable<OutputWriter['piece']>> {
    if (this.piece !== null && this.piece.bytes < this.pieceBytes) return this.piece;
    await this.piece?.handle.close();
    this.piece = null;
    if (this.written === 0) await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await this.dropOldest();
    const handle = await open(path.join(this.folder, String(this.written)), 'ax', 0o600);
    this.piece = { handle, bytes: 0 };
    if (this.written >= this.maxBytes / 2) this.tail.push(this.written);
    return this.piece;
  }

  private async dropOldest(): Promise<void> {
    for (const oldest of [...this.tail]) {
      if (this.written - oldest < this.maxBytes / 2) return;
      this.tail.shift();
      await rm(path.join(this.folder, String(oldest)), { force: true });
    }
  }
}
