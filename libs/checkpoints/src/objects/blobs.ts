/** Many contents from one program, each in pieces. */
import { createHash } from 'node:crypto';
import type { ReadFile } from '../files/read-file.js';
import type { ShadowRepository } from './shadow-repository.js';

export type Pieces = AsyncGenerator<Buffer>;

/** In the order of the ids. Each content is to be used up before the next one is asked for; what is left of it is passed over. */
export async function* blobs(
  shadow: ShadowRepository,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Pieces> {
  if (ids.length === 0) return;
  const answers = new ByteReader(shadow.git.stream(['cat-file', '--batch'], { input: asked(ids), signal }));
  for (const id of ids) {
    const head = await answers.line();
    const size = Number(/^[\da-f]+ blob (\d+)$/.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(size)) throw new Error(`the store has no content ${id}: ${head}`);
    const content = answers.bytes(size);
    yield content;
    for await (const _ of content);
    await answers.line();
  }
  await answers.end();
}

async function* asked(ids: readonly string[]): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < ids.length; at += 1_000)
    yield Buffer.from(`${ids.slice(at, at + 1_000).join('\n')}\n`);
}

/** The id that a content has, or would have, in a store. */
export function blobIdOf(file: ReadFile): string {
  const hash = createHash('sha1').update(`blob ${file.stats.size}\0`);
  for (const piece of file.pieces()) hash.update(piece);
  return hash.digest('hex');
}

export function blobIdOfBytes(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

class ByteReader {
  private held: Buffer = Buffer.alloc(0);

  constructor(private readonly source: AsyncGenerator<Buffer>) {}

  async line(): Promise<string> {
    for (;;) {
      const end = this.held.indexOf(10);
      if (end >= 0) {
        const line = this.held.toString('latin1', 0, end);
        this.held = this.held.subarray(end + 1);
        return line;
      }
      this.held = Buffer.concat([this.held, await this.more()]);
    }
  }

  async *bytes(size: number): Pieces {
    for (let left = size; left > 0;) {
      if (this.held.length === 0) this.held = await this.more();
      const piece = this.held.subarray(0, left);
      this.held = this.held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** Throws what made the program fail. */
  async end(): Promise<void> {
    await this.source.next();
  }

  private async more(): Promise<Buffer> {
    const next = await this.source.next();
    if (next.done) throw new Error('the store ended in the middle of a content');
    return next.value;
  }
}
