/**
 * The log file of one process. The process writes to it directly, not through a pipe of the supervisor: a worker that drains
 * after its supervisor was killed still has somewhere to write. The supervisor reads along for what people should see.
 */
import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorText } from '@bullpen/contracts';
import { OURS, ownFolder } from '@bullpen/platform';

const ROTATE_BYTES = 10 * 1024 * 1024;
const READ_BYTES = 64 * 1024;

/** Opens the file for appending and gives its descriptor; a file that has grown over 10 MB becomes `<path>.1` first. */
export function openLog(path: string, rotateBytes = ROTATE_BYTES): number {
  ownFolder(dirname(path), OURS);
  if (sizeOf(path) > rotateBytes) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/** The last lines of a log after `from` bytes that are not empty, oldest first; empty when there is no such file. Never throws. */
export function lastLines(path: string, lines: number, from = 0): string[] {
  return tailOf(path, from)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-lines);
}

function tailOf(path: string, from: number): string {
  try {
    const size = sizeOf(path);
    return readRange(path, Math.max(from, size - READ_BYTES), size);
  } catch (error) {
    // Asked for when something has gone wrong already; why it cannot be read belongs to the answer.
    return `(${errorText(error)})`;
  }
}

/** Reads what was appended to a log since the last look. One reader for one file. */
export class LogReader {
  private offset: number;
  private rest = '';

  constructor(private readonly path: string) {
    this.offset = sizeOf(path);
  }

  /** Complete lines that are new, oldest first. Of a flood larger than 64 kB the oldest part is skipped. */
  newLines(): string[] {
    const size = sizeOf(this.path);
    if (size < this.offset) this.offset = 0;
    if (size === this.offset) return [];
    const from = Math.max(this.offset, size - READ_BYTES);
    const text = (from === this.offset ? this.rest : '') + readRange(this.path, from, size);
    this.offset = size;
    const lines = text.split('\n');
    this.rest = lines.pop() ?? '';
    return lines.filter((line) => line !== '');
  }
}

/** What a person should see of a log line: level and text. Null for everything below `warn` and for what is no log record. */
export function importantPart(line: string): { level: string; text: string } | null {
  if (!line.startsWith('{')) return null;
  const record = parseRecord(line);
  const level = record?.['level'];
  if (level !== 'warn' && level !== 'error' && level !== 'fatal') return null;
  // Every process leaves the same extensions out; the banner of `bullpen up` says so once.
  if (record?.['extension'] !== undefined) return null;
  const text = typeof record?.['msg'] === 'string' ? record['msg'] : '';
  const cause = record?.['err'];
  const detail =
    typeof cause === 'object' && cause !== null && 'message' in cause ? String(cause.message) : '';
  return { level, text: detail === '' || detail === text ? text : `${text}: ${detail}` };
}

/** A log line for people: the message of a JSON record, other lines as they are. */
export function readableLine(line: string): string {
  const record = line.startsWith('{') ? parseRecord(line) : null;
  if (record === null || typeof record['msg'] !== 'string') return line;
  const important = importantPart(line);
  return `${String(record['level'])}: ${important?.text ?? record['msg']}`;
}

/** Of the last lines of a process that crashed, the one that says why; null when none does. */
export function reasonIn(lines: readonly string[]): string | null {
  const last = lines.findLast(
    (line) => importantPart(line)?.level === 'fatal' || /^(Uncaught )?\w*Error\b/.test(line),
  );
  return (last === undefined ? null : (importantPart(last)?.text ?? last)) ?? null;
}

function parseRecord(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    // A line that only looks like JSON is a line.
    return null;
  }
}

/** Length in bytes; 0 when there is no such file. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function readRange(path: string, from: number, to: number): string {
  if (to <= from) return '';
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(to - from);
    const read = readSync(file, buffer, 0, buffer.length, from);
    return buffer.toString('utf8', 0, read);
  } finally {
    closeSync(file);
  }
}
