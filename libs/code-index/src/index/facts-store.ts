/**
 * Facts by content, in a file: a workspace that was indexed once is there again in a second after a restart. It is a cache: what is broken in
 * it is read anew. New facts go to its end, a block at a time, so that a change of one file costs as little as that file; when most of it
 * is of files that are gone, it is written anew.
 */
import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { FileFacts } from '../facts/facts.js';
import type { Language } from '../languages/language.js';

/** Rises with whatever changes what facts mean. */
const VERSION = 2;
/** Facts of a block: some milliseconds of work, after which others have their turn. */
const BLOCK = 50;
/** So many facts of files that are gone may stay. */
const MOST_SPARE = 1_000;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

interface Kept {
  readonly facts: Map<string, FileFacts>;
  /** False for a file that is not there, broken, or of another version. */
  readonly isWhole: boolean;
}

export class FactsStore {
  private kept: Promise<Kept> | undefined;
  private readonly used = new Map<string, FileFacts>();
  private readonly fresh = new Map<string, FileFacts>();

  constructor(private readonly file: string) {}

  async get(language: Language, hash: string): Promise<FileFacts | undefined> {
    this.kept ??= read(this.file);
    const facts = (await this.kept).facts.get(`${language} ${hash}`);
    if (facts !== undefined) this.used.set(`${language} ${hash}`, facts);
    return facts;
  }

  put(language: Language, hash: string, facts: FileFacts): void {
    this.used.set(`${language} ${hash}`, facts);
    this.fresh.set(`${language} ${hash}`, facts);
  }

  /** Writes what is new. A disk that is full costs the cache, and nothing else. */
  async save(): Promise<void> {
    if (this.fresh.size === 0) return;
    const fresh = [...this.fresh];
    this.fresh.clear();
    const kept = await (this.kept ??= read(this.file));
    try {
      await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
      const spare = kept.facts.size + fresh.length - this.used.size;
      if (kept.isWhole && spare <= Math.max(MOST_SPARE, this.used.size))
        for await (const block of blocksOf(fresh)) await appendFile(this.file, block);
      else await this.writeAnew();
      for (const [key, facts] of fresh) kept.facts.set(key, facts);
    } catch {
      this.kept = undefined; // What is in the file now, only the file knows.
    }
  }

  private async writeAnew(): Promise<void> {
    const temporary = `${this.file}.${process.pid}.tmp`;
    try {
      await writeFile(temporary, await packed(VERSION), { mode: 0o600 });
      for await (const block of blocksOf([...this.used])) await appendFile(temporary, block);
      await rename(temporary, this.file);
      this.kept = Promise.resolve({ facts: new Map(this.used), isWhole: true });
    } finally {
      await rm(temporary, { force: true });
    }
  }
}

async function* blocksOf(facts: readonly (readonly [string, FileFacts])[]): AsyncGenerator<Buffer> {
  for (let at = 0; at < facts.length; at += BLOCK) yield await packed(facts.slice(at, at + BLOCK));
}

/** A block: its length, then its bytes. */
async function packed(value: unknown): Promise<Buffer> {
  const body = await compress(serialize(value), { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } });
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([length, body]);
}

async function read(file: string): Promise<Kept> {
  const facts = new Map<string, FileFacts>();
  try {
    const bytes = await readFile(file);
    let at = 0;
    for (; at < bytes.length;) {
      const end = at + 4 + bytes.readUInt32LE(at);
      const value: unknown = deserialize(await decompress(bytes.subarray(at + 4, end)));
      if (at === 0 && value !== VERSION) break;
      if (Array.isArray(value)) for (const [key, its] of value as [string, FileFacts][]) facts.set(key, its);
      at = end;
    }
    return { facts, isWhole: at > 0 && at === bytes.length };
  } catch {
    return { facts, isWhole: false }; // None there, or what it ends with is broken.
  }
}
