/** Text of a file of the workspace, as far as an agent is told it unasked. */
import { createHash } from 'node:crypto';
import { resolveForReading } from '../confine.js';
import { openForReading } from '../open-inside.js';

/** As contexts and rules are recorded. `content`: the bytes of what is no text, if all of them were read. */
export interface FoundText {
  readonly bytes: number;
  readonly sha256: string;
  readonly text: string;
  readonly cut: boolean;
  readonly problem: string | null;
  readonly content?: Buffer;
}

/** Of a larger file only this much is read, and its hash is that of this part. */
const MOST_BYTES = 10 * 1_024 * 1_024;

/** The text, at most `limit` bytes of it; null when there is no such file. What cannot be read says why; nothing outside of the workspace is. */
export async function readText(
  workspacePath: string,
  path: string,
  limit: number,
): Promise<FoundText | null> {
  const resolved = await resolveForReading(workspacePath, path);
  if (!resolved.ok) return resolved.code === 'not_found' ? null : problem(resolved.reason);
  const opened = await openForReading(resolved.place);
  if (!opened.ok) return opened.code === 'not_found' ? null : problem(opened.reason);
  try {
    const buffer = Buffer.allocUnsafe(Math.min(opened.size, MOST_BYTES));
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await opened.handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return textOf(buffer.subarray(0, length), Math.max(opened.size, length), limit, path);
  } finally {
    await opened.handle.close();
  }
}

/** The text of bytes, of which the rest can be read by name. @param name null: nowhere. */
export function textOf(bytes: Buffer, size: number, limit: number, name: string | null): FoundText {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const whole = decoded(bytes, size > bytes.length);
  if (whole === null)
    return {
      ...problem('it is not UTF-8 text'),
      bytes: size,
      sha256,
      ...(size === bytes.length && { content: bytes }),
    };
  if (size <= limit) return { bytes: size, sha256, text: whole, cut: false, problem: null };
  const text = decoded(bytes.subarray(0, limit), true) ?? '';
  const rest = name === null ? '' : `; the rest is in ${JSON.stringify(name)}`;
  const cut = `cut here: the first ${Buffer.byteLength(text)} of ${size} bytes are above${rest}`;
  return { bytes: size, sha256, text, cut: true, problem: cut };
}

/** Why there is no text. */
export function problem(why: string): FoundText {
  return { bytes: 0, sha256: '', text: '', cut: false, problem: why };
}

/** Null for what is no UTF-8 text. A cut leaves out the part of a character that it may have left at the end. */
function decoded(bytes: Buffer, cut: boolean): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true })
      .decode(bytes, { stream: cut })
      .replaceAll(/\r\n?/g, '\n');
  } catch {
    // Thrown for exactly one reason: another encoding.
    return null;
  }
}
