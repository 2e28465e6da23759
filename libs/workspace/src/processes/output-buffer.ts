/** Keeps the head and the tail of a text of any length in bounded memory, and counts what fell out of the middle. */
import { plural } from '@bullpen/contracts';

export interface BoundedText {
  /** The whole text, or head, a line that says how much is missing, and tail. */
  readonly text: string;
  /** Characters (UTF-16 units) left out. */
  readonly droppedChars: number;
}

/** Collects text up to `maxChars` (UTF-16 units): the first half and the last half of it are kept. */
export class OutputBuffer {
  private head = '';
  private tail: string[] = [];
  private tailChars = 0;
  private droppedChars = 0;
  private readonly half: number;

  constructor(maxChars: number) {
    this.half = Math.max(1, Math.floor(maxChars / 2));
  }

  append(text: string): void {
    const room = this.half - this.head.length;
    // The head closes for good at the first text that does not fit, or later pieces would slip in before the tail.
    const forHead = room > 0 && this.tail.length === 0 ? wholeChars(text, room) : '';
    this.head += forHead;
    const rest = text.slice(forHead.length);
    if (rest === '') return;
    this.tail.push(rest);
    this.tailChars += rest.length;
    // Trimmed only when twice too long, so that each character is copied at most a few times.
    if (this.tailChars > this.half * 2 || this.tail.length > 4_096) this.trimTail();
  }

  finish(): BoundedText {
    this.trimTail();
    const tail = this.tail.join('');
    if (this.droppedChars === 0) return { text: this.head + tail, droppedChars: 0 };
    const note = `\n… [${plural(this.droppedChars, 'character')} of output left out here] …\n`;
    return { text: this.head + note + tail, droppedChars: this.droppedChars };
  }

  private trimTail(): void {
    const joined = this.tail.join('');
    let from = Math.max(0, joined.length - this.half);
    if (from > 0 && isLowSurrogate(joined, from)) from += 1;
    this.droppedChars += from;
    this.tail = from === joined.length ? [] : [joined.slice(from)];
    this.tailChars = joined.length - from;
  }
}

/** The first `count` UTF-16 units of a text, one fewer when the cut would split a character. */
export function wholeChars(text: string, count: number): string {
  if (text.length <= count) return text;
  return text.slice(0, isLowSurrogate(text, count) ? count - 1 : count);
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
