/** Archives as an attacker writes them: the usual programs refuse to make most of these. */

export interface TarEntry {
  readonly name: string;
  /** @defaultValue an empty file */
  readonly content?: string;
  /** 0 file, 1 hard link, 2 symbolic link, 3 and 4 devices, 5 folder, 6 pipe; letters for extensions. @defaultValue 0 */
  readonly type?: string;
  /** Where a link leads. */
  readonly target?: string;
  readonly mode?: number;
  /** What the header says of the size, where that is not the truth. */
  readonly size?: number;
}

const BLOCK = 512;

/** A tar archive of these entries, in this order, however hostile their names are; no check is made. */
export function tar(...entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]);
}

/** Extended headers (pax), which overrule the name in the header that follows. */
export function paxHeader(fields: Readonly<Record<string, string>>): TarEntry {
  const records = Object.entries(fields).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = rest.length;
    while (`${length}${rest}`.length !== length) length = `${length}${rest}`.length;
    return `${length}${rest}`;
  });
  return { name: 'PaxHeaders/x', type: 'x', content: records.join('') };
}

function blocksOf({ name, content = '', type = '0', target = '', mode = 0o644, size }: TarEntry): Buffer[] {
  const body = Buffer.from(content, 'latin1');
  const header = Buffer.alloc(BLOCK);
  const put = (text: string, at: number, length: number) => header.write(text.slice(0, length), at, 'latin1');
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  put(name, 0, 100);
  put(octal(mode, 8), 100, 8);
  put(octal(0, 8), 108, 8);
  put(octal(0, 8), 116, 8);
  put(octal(size ?? body.length, 12), 124, 12);
  put(octal(0, 12), 136, 12);
  put('        ', 148, 8);
  put(type, 156, 1);
  put(target, 157, 100);
  put('ustar\0' + '00', 257, 8);
  put(octal(1, 8), 329, 8);
  put(octal(3, 8), 337, 8);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8);
  return [header, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)];
}
