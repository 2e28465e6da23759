/** Reads the index of a repository in the versions 2 to 4 (gitformat-index) without running git. */
import { readPlainFile } from './plain-file.js';

/** Larger ones are not read: judging a line must not take a second. */
const MAX_INDEX_BYTES = 50_000_000;

export interface IndexEntry {
  readonly path: Buffer;
  /** Another repository in this one. */
  readonly isRepository: boolean;
}

/** Empty when there is no index. Throws for one that is none, or of an unknown kind. */
export function indexEntries(file: string, usesLongIds: boolean): readonly IndexEntry[] {
  const bytes = readPlainFile(file, MAX_INDEX_BYTES);
  if (bytes === null) return [];
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4)
    throw new Error('No known index.');
  const idBytes = usesLongIds ? 32 : 20;
  const entries: IndexEntry[] = [];
  let at = 12;
  for (let count = bytes.readUInt32BE(8); count > 0; count -= 1) {
    const start = at;
    const isRepository = (bytes.readUInt32BE(at + 24) & 0xf000) === 0xe000;
    at += 40 + idBytes;
    at += version >= 3 && (bytes.readUInt16BE(at) & 0x4000) !== 0 ? 4 : 2;
    let prefix: Buffer | null = null;
    if (version === 4) {
      const { value, next } = offsetAt(bytes, at);
      const before = entries.at(-1)?.path ?? Buffer.alloc(0);
      prefix = before.subarray(0, before.length - value);
      at = next;
    }
    const end = bytes.indexOf(0, at);
    const own = bytes.subarray(at, end);
    entries.push({ path: prefix === null ? own : Buffer.concat([prefix, own]), isRepository });
    // Entries of the older versions fill up to eight bytes, with one at least.
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
  }
  return entries;
}

/** A number in the form that packs use for offsets. */
function offsetAt(bytes: Buffer, from: number): { value: number; next: number } {
  let next = from;
  let byte = bytes.readUInt8(next);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    next += 1;
    byte = bytes.readUInt8(next);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next: next + 1 };
}
