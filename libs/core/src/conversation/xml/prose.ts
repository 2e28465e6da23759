/**
 * Tells the words of an answer from the code in it: fenced blocks and code spans, as Markdown has them. A tag in code is an example
 * and no call.
 */
import type { Token } from './tokens.js';

/** Who reads what is found. While it is inside a call or a thought, everything goes to it untouched. */
export interface ProseReader {
  readonly isInside: boolean;
  inside(token: Token): void;
  word(token: Token, startsLine: boolean): void;
  code(token: Token): void;
  /** The code before is over. */
  codeEnd(): void;
}

/** Between backticks that may turn out to be a code span or, at the beginning of a line, a fence. */
interface Span {
  readonly kind: 'span';
  readonly length: number;
  readonly mayBeFence: boolean;
  /** What its line began with. */
  readonly head: string;
  readonly held: Token[];
}

interface Fence {
  readonly kind: 'fence';
  readonly mark: string;
  /** A closing mark has come, and nothing but blanks behind it so far. */
  readonly closing: boolean;
}

type Place = { readonly kind: 'words' } | Span | Fence;

const WORDS: Place = { kind: 'words' };

/** What may stand before a fence: indentation, quote marks, and the mark of a list item. */
const BEFORE_FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?$/;
const LONGEST_HEAD = 80;

export class Prose {
  private place: Place = WORDS;
  /** The line so far; `x` when it is too long to matter. */
  private head = '';
  /** How many backtick runs of each length still come in the paragraph, while it is read once more. */
  private ahead: Map<number, number> | null = null;

  constructor(private readonly reader: ProseReader) {}

  push(token: Token): void {
    if (this.reader.isInside) {
      this.reader.inside(token);
      this.head = 'x'; // What follows a call in its line does not start a line.
      return;
    }
    const { place } = this;
    if (place.kind === 'span') {
      if (!this.span(place, token)) return;
    } else if (place.kind === 'fence') this.fence(place, token);
    else this.words(token);
    this.advance(token);
  }

  /** Nothing more comes. True when it ends within a fence. */
  end(): boolean {
    const { place } = this;
    if (place.kind === 'span') {
      if (!place.mayBeFence) this.release(place);
      else place.held.forEach((token) => this.reader.code(token));
      return place.mayBeFence;
    }
    if (place.kind === 'fence' && place.closing) this.reader.codeEnd();
    return place.kind === 'fence' && !place.closing;
  }

  private words(token: Token): void {
    if (token.kind !== 'run') return this.reader.word(token, this.head.trim() === '');
    const length = token.raw.length;
    const mayBeFence = this.startsFence(token);
    if (token.raw.startsWith('~')) {
      if (!mayBeFence) return this.reader.word(token, false);
      this.place = { kind: 'fence', mark: token.raw, closing: false };
      return this.reader.code(token);
    }
    if (!mayBeFence && this.ahead !== null && (this.ahead.get(length) ?? 0) === 0)
      return this.reader.word(token, false);
    this.place = { kind: 'span', length, mayBeFence, head: this.head, held: [token] };
  }

  private startsFence(token: Token): boolean {
    return (
      token.kind === 'run' && token.raw.length >= 3 && (this.head === '' || BEFORE_FENCE.test(this.head))
    );
  }

  /** False when the token was read as part of something else. */
  private span(span: Span, token: Token): boolean {
    const { held, length, mayBeFence } = span;
    if (mayBeFence && token.kind === 'newline') {
      this.place = { kind: 'fence', mark: '`'.repeat(length), closing: false };
      [...held, token].forEach((part) => this.reader.code(part));
      return true;
    }
    const endsParagraph = token.kind === 'newline' && this.head.trim() === '';
    if (endsParagraph || this.startsFence(token)) {
      this.release(span);
      this.push(token);
      return false;
    }
    held.push(token);
    if (token.kind === 'run' && token.raw.startsWith('`') && token.raw.length === length) {
      this.place = WORDS;
      held.forEach((part) => this.reader.code(part));
      this.reader.codeEnd();
    }
    return true;
  }

  /** It was no span: its mark is a character like any other, and what follows is read as words. */
  private release({ head, held: [mark, ...rest] }: Span): void {
    this.place = WORDS;
    this.head = head;
    this.ahead = new Map();
    for (const token of rest) this.count(token, 1);
    if (mark !== undefined) {
      this.reader.word(mark, false);
      this.advance(mark);
    }
    for (const token of rest) {
      this.count(token, -1);
      this.push(token);
    }
    this.ahead = null;
  }

  private count(token: Token, by: 1 | -1): void {
    if (token.kind === 'run' && token.raw.startsWith('`'))
      this.ahead?.set(token.raw.length, (this.ahead.get(token.raw.length) ?? 0) + by);
  }

  private fence(fence: Fence, token: Token): void {
    this.reader.code(token);
    if (fence.closing && token.kind === 'newline') {
      this.place = WORDS;
      this.reader.codeEnd();
    } else {
      const closing =
        this.startsFence(token) && token.raw.startsWith(fence.mark)
          ? true
          : fence.closing && token.kind === 'text' && token.raw.trim() === '';
      if (closing !== fence.closing) this.place = { ...fence, closing };
    }
  }

  private advance({ kind, raw }: Token): void {
    if (kind === 'newline') this.head = '';
    else
      this.head = this.head.length + raw.length > LONGEST_HEAD ? 'x'.repeat(LONGEST_HEAD) : this.head + raw;
  }
}
