/** The output of a command in bounded memory: its first and its last half of so many bytes. */
import type { Readable } from 'node:stream';
import { continuations, decode, unfinished } from './output-text.js';
import { leftOutNote } from './shown-output.js';
import type { OutputSink } from './running-command.js';

export class MemoryOutput implements OutputSink {
  size = 0;
  readonly problem = null;
  private readonly head: Buffer[] = [];
  private headBytes = 0;
  private tail: Buffer[] = [];
  private tailBytes = 0;
  private readonly half: number;

  constructor(maxBytes: number) {
    this.half = Math.max(1, Math.floor(maxBytes / 2));
  }

  async drain(output: Readable, onChunk: (chunk: Buffer) => void): Promise<void> {
    output.on('data', (chunk: Buffer) => {
      this.append(chunk);
      onChunk(chunk);
    });
    await new Promise<void>((resolve) => output.once('close', resolve));
  }

  async flushed(): Promise<void> {}

  append(chunk: Buffer): void {
    this.size += chunk.length;
    const forHead = chunk.subarray(0, this.half - this.headBytes);
    if (forHead.length > 0) this.head.push(forHead);
    this.headBytes += forHead.length;
    const rest = chunk.subarray(forHead.length);
    if (rest.length === 0) return;
    this.tail.push(rest);
    this.tailBytes += rest.length;
    // Trimmed only when twice too long, so that each byte is copied at most a few times.
    if (this.tailBytes > this.half * 2 || this.tail.length > 4_096) this.trimTail();
  }

  text(): string {
    const head = Buffer.concat(this.head);
    const tail = this.trimTail();
    const dropped = this.size - head.length - tail.length;
    if (dropped === 0) return decode(Buffer.concat([head, tail]));
    const [cut, skip] = [unfinished(head), continuations(tail)];
    const note = leftOutNote(dropped + cut + skip);
    return decode(head.subarray(0, head.length - cut)) + note + decode(tail.subarray(skip));
  }

  private trimTail(): Buffer {
    const joined = Buffer.concat(this.tail);
    const kept = Buffer.from(joined.subarray(Math.max(0, joined.length - this.half)));
    this.tail = [kept];
    this.tailBytes = kept.length;
    return kept;
  }
}
