/**
 * Packs in a folder, like one that all machines of an installation mount. A pack is one file whose last bytes describe it, so that it appears and goes as
 * one; which others it has replaced is part of that, so that a crash in between leaves no reader with less.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { randomUUID } from 'node:crypto';
import {
  PackGone,
  type PackContent,
  type PackInfo,
  type PackStore,
  type StoredLine,
  type StoredPack,
} from '@bullpen/core';

const ENDING = '.pack';
const NAME = /^[A-Za-z0-9_-]{1,100}$/;
const TAIL_BYTES = 8;
/** Far more than the writing of a pack takes. */
const STALE_MS = 24 * 3_600_000;

interface Described extends StoredPack {
  readonly replaces: readonly string[];
  readonly storedAtMs: number;
}

export class FolderPackStore implements PackStore {
  constructor(private readonly folder: string) {}

  async put(pack: PackInfo, content: PackContent): Promise<StoredPack> {
    return this.replace([], pack, content);
  }

  async replace(dropped: readonly string[], pack: PackInfo, content: PackContent): Promise<StoredPack> {
    const place = this.placeOf(pack.line, pack.id);
    await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
    await this.removeStale(pack.line);
    const temp = `${place}.${randomUUID()}.tmp`;
    try {
      await pipeline(content, createWriteStream(temp, { mode: 0o600, flags: 'wx' }));
      const { size: bytes } = await stat(temp);
      await describe(temp, { ...pack, bytes, replaces: dropped, storedAtMs: Date.now() });
      // A name that is taken is the same pack, put before.
      await rename(temp, place);
      await this.removeReplaced(pack.line);
      return { ...pack, bytes };
    } finally {
      await rm(temp, { force: true });
    }
  }

  async list(line: string): Promise<readonly StoredPack[]> {
    const all = await this.described(line);
    const replaced = replacedBy(all);
    return all
      .filter(({ id }) => !replaced.has(id))
      .sort((a, b) => a.storedAtMs - b.storedAtMs)
      .map(({ replaces: _replaces, storedAtMs: _storedAtMs, ...pack }) => pack);
  }

  async lines(): Promise<readonly StoredLine[]> {
    const lines: StoredLine[] = [];
    for (const line of await namesIn(this.folder)) {
      const packs = NAME.test(line) ? await this.list(line) : [];
      if (packs.length > 0) lines.push({ line, ...sumOf(packs) });
    }
    return lines;
  }

  async *read(line: string, id: string): PackContent {
    const place = this.placeOf(line, id);
    const described = await readDescription(place);
    if (described === null) throw new PackGone(line, id);
    if (described.bytes > 0) yield* createReadStream(place, { end: described.bytes - 1 }) as PackContent;
  }

  async remove(line: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) await rm(this.placeOf(line, id), { force: true });
  }

  async removeLine(line: string): Promise<void> {
    await rm(this.folderOf(line), { recursive: true, force: true });
  }

  private async described(line: string): Promise<readonly Described[]> {
    const names = (await namesIn(this.folderOf(line))).filter((name) => name.endsWith(ENDING));
    const found = await Promise.all(
      names.map((name) => readDescription(path.join(this.folderOf(line), name))),
    );
    return found.filter((each) => each !== null);
  }

  /** Also what a process that died in a replacement has left. */
  private async removeReplaced(line: string): Promise<void> {
    await this.remove(line, [...replacedBy(await this.described(line))]);
  }

  private async removeStale(line: string): Promise<void> {
    for (const name of (await namesIn(this.folderOf(line))).filter((each) => each.endsWith('.tmp'))) {
      const temp = path.join(this.folderOf(line), name);
      const stats = await stat(temp).catch(() => null);
      if (stats && Date.now() - stats.mtimeMs > STALE_MS) await rm(temp, { force: true });
    }
  }

  private folderOf(line: string): string {
    return path.join(this.folder, checked(line));
  }

  private placeOf(line: string, id: string): string {
    return path.join(this.folderOf(line), `${checked(id)}${ENDING}`);
  }
}

function sumOf(packs: readonly StoredPack[]): Omit<StoredLine, 'line'> {
  return { packs: packs.length, bytes: packs.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function replacedBy(all: readonly Described[]): ReadonlySet<string> {
  return new Set(all.flatMap(({ id, replaces }) => replaces.filter((other) => other !== id)));
}

/** Behind the content, and how long it is at the very end. */
async function describe(file: string, described: Described): Promise<void> {
  const text = Buffer.from(JSON.stringify(described));
  const tail = Buffer.alloc(TAIL_BYTES);
  tail.writeBigUInt64BE(BigInt(text.length));
  const handle = await open(file, 'a');
  try {
    await handle.writeFile(Buffer.concat([text, tail]));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Null when there is none. */
async function readDescription(file: string): Promise<Described | null> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    const { size } = await handle.stat();
    const { buffer: tail } = await handle.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, size - TAIL_BYTES);
    const length = Number(tail.readBigUInt64BE());
    const { buffer: text } = await handle.read(Buffer.alloc(length), 0, length, size - TAIL_BYTES - length);
    return JSON.parse(text.toString()) as Described;
  } finally {
    await handle.close();
  }
}

function checked(name: string): string {
  if (!NAME.test(name)) throw new Error(`not a name of a pack or line: ${name}`);
  return name;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    // A file among the folders is none of ours.
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}
