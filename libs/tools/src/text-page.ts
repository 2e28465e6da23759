/**
 * One page of a text file of any size: whole lines from a place on, as many as fit. Of a line that is longer than a page it gives a
 * part, and the next page goes on in it. Pages that follow one another leave nothing out, and no more is held than one page.
 */
import { StringDecoder } from 'node:string_decoder';
import { wholeChars } from '@bullpen/workspace';
import { MAX_PAGE_CHARS } from './pages.js';

/** A place in a text: line and character (code point) in it, both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface TextPage {
  /** Each with its number in front. */
  readonly lines: readonly string[];
  /** Where the next page begins; null at the end of the file. */
  readonly next: Place | null;
  readonly hasCrLf: boolean;
}

export type PageRead =
  | { readonly kind: 'page'; readonly page: TextPage }
  | { readonly kind: 'binary' }
  /** The file ends before the place, or the line does. */
  | { readonly kind: 'no_such_place' };

/** Reads on from a place, `limit` lines at most. Bytes that are not UTF-8 are shown as U+FFFD. */
export async function readPage(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  from: Place,
  limit: number,
): Promise<PageRead> {
  const text = new TextFrom(from);
  for await (const chunk of chunks) {
    if (chunk.includes(0)) return { kind: 'binary' };
    text.add(chunk);
    if (text.isEnough || text.isPast) break;
  }
  if (!text.isEnough) text.end();
  if (text.isPast || !text.isReached) return { kind: 'no_such_place' };
  return { kind: 'page', page: layOut(text.taken, !text.isEnough, from, limit) };
}

/** The text from a place on, until there is more than a page of it. */
class TextFrom {
  taken = '';
  /** The line of the place ends before its column. */
  isPast = false;
  private readonly decoder = new StringDecoder('utf8');
  private line = 1;
  private atStart = true;
  private toSkip: number;

  constructor(private readonly from: Place) {
    this.toSkip = from.column - 1;
  }

  get isEnough(): boolean {
    return this.taken.length > MAX_PAGE_CHARS + 1;
  }

  /** The file has the line, and something at the column. An empty file has its first line. */
  get isReached(): boolean {
    return this.taken !== '' || (this.from.line === 1 && this.from.column === 1);
  }

  add(chunk: Buffer): void {
    let at = 0;
    while (this.line < this.from.line) {
      const end = chunk.indexOf(10, at);
      if (end < 0) return;
      this.line += 1;
      at = end + 1;
    }
    this.take(this.decoder.write(chunk.subarray(at)));
  }

  end(): void {
    this.take(this.decoder.end());
  }

  private take(text: string): void {
    if (text === '') return;
    // A byte order mark is no part of the first line.
    const rest = this.atStart && this.line === 1 ? text.replace(/^\uFEFF/, '') : text;
    this.atStart = false;
    this.taken += this.toSkip > 0 ? this.skip(rest) : rest;
  }

  private skip(text: string): string {
    let at = 0;
    for (; at < text.length && this.toSkip > 0; this.toSkip -= 1) {
      if (text.charCodeAt(at) === 10) {
        this.isPast = true;
        return '';
      }
      at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    }
    return text.slice(at);
  }
}

function layOut(text: string, isEnd: boolean, from: Place, limit: number): TextPage {
  const lines: string[] = [];
  let { line, column } = from;
  let hasCrLf = false;
  let room = MAX_PAGE_CHARS;
  let at = 0;
  while (at < text.length && lines.length < limit) {
    const end = text.indexOf('\n', at);
    const whole = text.slice(at, end < 0 ? text.length : end);
    const shown = `${line}\t${whole.replace(/\r$/, '')}`;
    // What the page holds of a last line may not be all of it.
    if (shown.length <= room && (end >= 0 || isEnd)) {
      lines.push(shown);
      room -= shown.length + 1;
      hasCrLf ||= whole.endsWith('\r');
      at += whole.length + 1;
      [line, column] = [line + 1, 1];
    } else if (lines.length > 0) break;
    else {
      const part = wholeChars(shown, room);
      const next = { line, column: column + codePoints(part) - `${line}\t`.length };
      return { lines: [part], next, hasCrLf };
    }
  }
  return { lines, next: at >= text.length && isEnd ? null : { line, column }, hasCrLf };
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
