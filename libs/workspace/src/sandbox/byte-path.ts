/** Paths as byte strings: one character for each byte, so that names that are not UTF-8 lead to their files as well. */

/** What the file system takes for a byte string. */
export function onDisk(bytes: string): string | Buffer {
  return isPlain(bytes) ? bytes : Buffer.from(bytes, 'latin1');
}

/** As people read it, and as names are compared. */
export function readable(bytes: string): string {
  return isPlain(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The byte string of a path that is text. */
export function byteString(path: string): string {
  return isPlain(path) ? path : Buffer.from(path, 'utf8').toString('latin1');
}

function isPlain(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- this is the range of ASCII
  return /^[\x00-\x7f]*$/.test(text);
}
