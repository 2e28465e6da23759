/**
 * A path relative to a workspace, as the bytes that it is: each character of the string is one byte. Names that differ only in their Unicode
 * form, or are no Unicode at all, stay what they are, and the order is git's.
 */
export type BytePath = string;

export function bytesOf(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** As people read it: what is no UTF-8 is shown by replacement characters. */
export function shownPath(path: BytePath): string {
  return isAscii(path) ? path : bytesOf(path).toString('utf8');
}

export function bytePath(shown: string): BytePath {
  return isAscii(shown) ? shown : Buffer.from(shown, 'utf8').toString('latin1');
}

export function parentOf(path: BytePath): BytePath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function nameOf(path: BytePath): BytePath {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function depthOf(path: BytePath): number {
  return path.split('/').length;
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
