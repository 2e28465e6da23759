/** Zip archives as an attacker writes them; nothing in them is compressed. */
import { crc32 } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content: string;
  /** What the list at the end calls it, where that is another name than the entry's own. */
  readonly listedAs?: string;
  /** Unix mode with its type: 0o120777 makes a symbolic link of it. @defaultValue 0o100644 */
  readonly mode?: number;
}

/** A zip archive of these entries, in this order, however hostile their names are; no check is made. */
export function zip(...entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, listed } = recordsOf(entry, offset);
    parts.push(local);
    list.push(listed);
    offset += local.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
}

function recordsOf({ name, content, listedAs = name, mode = 0o100644 }: ZipEntry, offset: number) {
  const bytes = Buffer.from(content);
  /** What both records begin with; `at` is where their common part stands. */
  const record = (signature: number, at: number, size: number): Buffer => {
    const fields = Buffer.alloc(size);
    fields.writeUInt32LE(signature, 0);
    fields.writeUInt16LE(20, at);
    fields.writeUInt32LE(crc32(bytes), at + 10);
    fields.writeUInt32LE(bytes.length, at + 14);
    fields.writeUInt32LE(bytes.length, at + 18);
    return fields;
  };
  const local = record(0x04034b50, 4, 30);
  local.writeUInt16LE(Buffer.byteLength(name), 26);
  const listed = record(0x02014b50, 6, 46);
  listed.writeUInt16LE(0x0314, 4); // Made on unix: the modes count.
  listed.writeUInt16LE(Buffer.byteLength(listedAs), 28);
  listed.writeUInt32LE(mode * 0x10000, 38);
  listed.writeUInt32LE(offset, 42);
  return {
    local: Buffer.concat([local, Buffer.from(name), bytes]),
    listed: Buffer.concat([listed, Buffer.from(listedAs)]),
  };
}
