/** Reads files of a workspace for the tools: whole when they are small, facts about them when they are not. */
import { createHash } from 'node:crypto';
import { openForReading, type InsidePath, type Refusal } from '@bullpen/workspace';

/** Up to this size a file is held in memory, compared by its content, and can be edited. */
export const MAX_WHOLE_BYTES = 10 * 1_024 * 1_024;

/** A file's bytes with the fingerprint of that very content. */
export interface FileContent {
  readonly bytes: Buffer;
  readonly fingerprint: string;
}

export type LoadedFile = { readonly ok: true; readonly content: FileContent } | Refusal;

/** The whole content of a file of at most `MAX_WHOLE_BYTES`. */
export async function loadFile(place: InsidePath): Promise<LoadedFile> {
  const opened = await openForReading(place);
  if (!opened.ok) return opened;
  try {
    if (opened.size > MAX_WHOLE_BYTES) {
      const reason = `${JSON.stringify(place.relative)} has ${opened.size} bytes, more than the 10 MB that can be edited; a command could change it`;
      return { ok: false, code: 'refused', reason };
    }
    const bytes = await opened.handle.readFile();
    return { ok: true, content: { bytes, fingerprint: fingerprintOf(bytes) } };
  } finally {
    await opened.handle.close();
  }
}

/** Equal for equal content; touching a file does not change it. */
export function fingerprintOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The text of bytes that are UTF-8 (a byte order mark is kept), null for anything else. */
export function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Another encoding: decoding it loosely and writing it back would destroy it.
    return null;
  }
}

export type FileFacts =
  | { readonly kind: 'text'; readonly lines: number; readonly bytes: number }
  | { readonly kind: 'binary'; readonly bytes: number };

/**
 * Kind and size of a file of any size: binary when there is a NUL byte anywhere in it; a last line without line end counts.
 * Null when it can't be opened.
 */
export async function inspectFile(place: InsidePath, signal: AbortSignal): Promise<FileFacts | null> {
  const opened = await openForReading(place);
  if (!opened.ok) return null;
  const buffer = Buffer.allocUnsafe(Math.min(Math.max(opened.size, 1), 256 * 1_024));
  let bytes = 0;
  let lines = 0;
  let last = 10;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await opened.handle.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      if (chunk.includes(0)) return { kind: 'binary', bytes: Math.max(opened.size, bytes + bytesRead) };
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
      bytes += bytesRead;
      last = chunk[bytesRead - 1] ?? last;
    }
  } finally {
    await opened.handle.close();
  }
  return { kind: 'text', lines: lines + (last === 10 ? 0 : 1), bytes };
}

/** Lines as people count them: a last line without line end counts. */
export function countLines(text: string): number {
  if (text === '') return 0;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
