/**
 * Bytes of output as text: whole characters only, and what is no text escaped (`\xe9`), so that JSON and Postgres take it. This is the
 * one way from output to the model, to watchers and to the API; masking of secrets belongs here.
 */
import { isUtf8 } from 'node:buffer';

/** Decodes a stream of output piece by piece. */
export class OutputDecoder {
  private rest: Buffer = Buffer.alloc(0);

  /** The text up to the last whole character. */
  write(chunk: Buffer): string {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const whole = bytes.length - unfinished(bytes);
    this.rest = Buffer.from(bytes.subarray(whole));
    return decode(bytes.subarray(0, whole));
  }

  /** What is left of a character that never became whole. */
  end(): string {
    const text = decode(this.rest);
    this.rest = Buffer.alloc(0);
    return text;
  }

  /** Forgets a character that was cut off, because what follows it is left out. */
  reset(): void {
    this.rest = Buffer.alloc(0);
  }
}

/** All of these bytes as text. */
export function decode(bytes: Buffer): string {
  const text = isUtf8(bytes) ? bytes.toString('utf8') : decodeBroken(bytes);
  return text.includes('\0') ? text.replaceAll('\0', '\\x00') : text;
}

function decodeBroken(bytes: Buffer): string {
  const parts: string[] = [];
  let good = 0;
  for (let at = 0; at < bytes.length;) {
    const length = characterAt(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(bytes.toString('utf8', good, at), escaped(bytes[at] as number));
    at += 1;
    good = at;
  }
  parts.push(bytes.toString('utf8', good));
  return parts.join('');
}

function escaped(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** How many bytes the character has that begins here; 0 when none does. */
function characterAt(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = lengthOf(first);
  return length > 0 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

/** How many bytes a character has that begins with this one; 0 when none does. */
function lengthOf(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** How many bytes at the end may be the beginning of a character: 0 to 3. */
export function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back];
    if (isContinuation(byte)) continue;
    return lengthOf(byte as number) > back ? back : 0;
  }
  return 0;
}

/**
 * How many bytes at a place are the end of a character that began before it: 0 to 3. `before` has the bytes before the place, of which
 * the last three count.
 */
export function leftover(before: Buffer, bytes: Buffer): number {
  const begun = unfinished(before);
  if (begun === 0) return 0;
  const missing = lengthOf(before[before.length - begun] as number) - begun;
  const character = Buffer.concat([before.subarray(before.length - begun), bytes.subarray(0, missing)]);
  return isUtf8(character) ? missing : 0;
}

/** The same where the bytes before it are not known. */
export function continuations(bytes: Buffer): number {
  let count = 0;
  while (count < Math.min(3, bytes.length) && isContinuation(bytes[count])) count += 1;
  return count;
}
