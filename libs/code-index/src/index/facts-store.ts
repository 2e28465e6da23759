/**
 * Facts by content, in a file: a workspace that was indexed once is there again in a second after a restart. It is a cache: what is broken in
 * it is read anew, and what no file has any more is left out when it is saved.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { FileFacts } from '../facts/facts.js';
import type { Language } from '../languages/language.js';

/** Rises with whatever changes what facts mean. */
const VERSION = 2;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

export class FactsStore {
  private kept: Promise<ReadonlyMap<string, FileFacts>> | undefined;
  private readonly used = new Map<string, FileFacts>();
  private hasNew = false;

  constructor(private readonly file: string) {}

  async get(language: Language, hash: string): Promise<FileFacts | undefined> {
    this.kept ??= read(this.file);
    const facts = (await this.kept).get(`${language} ${hash}`);
    if (facts !== undefined) this.used.set(`${language} ${hash}`, facts);
    return facts;
  }

  put(language: Language, hash: string, facts: FileFacts): void {
    this.used.set(`${language} ${hash}`, facts);
    this.hasNew = true;
  }

  /** Writes what is in use. A disk that is full costs the cache, and nothing else. */
  async save(): Promise<void> {
    if (!this.hasNew) return;
    this.hasNew = false;
    const temporary = `${this.file}.${process.pid}.tmp`;
    try {
      await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
      const packed = await compress(serialize({ version: VERSION, facts: this.used }), {
        params: { [constants.BROTLI_PARAM_QUALITY]: 2 },
      });
      await writeFile(temporary, packed, { mode: 0o600 });
      await rename(temporary, this.file);
    } catch {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }
}

async function read(file: string): Promise<ReadonlyMap<string, FileFacts>> {
  try {
    const value: unknown = deserialize(await decompress(await readFile(file)));
    if (
      typeof value === 'object' &&
      value !== null &&
      'version' in value &&
      value.version === VERSION &&
      'facts' in value &&
      value.facts instanceof Map
    )
      return value.facts as ReadonlyMap<string, FileFacts>;
  } catch {
    // None there, or a broken one.
  }
  return new Map();
}
