/**
 * The pieces of a text that calls and Markdown are made of, wherever the text was split. Each character is looked at a bounded number
 * of times, so that the time is linear in the text.
 */

export type Token =
  | { readonly kind: 'text'; readonly raw: string }
  | { readonly kind: 'newline'; readonly raw: string }
  /** As many backticks or tildes as follow each other. */
  | { readonly kind: 'run'; readonly raw: string }
  | Tag;

/** `<name>`, `</name>` or `<name/>`; what else stands between angle brackets is text. */
export interface Tag {
  readonly kind: 'tag';
  readonly raw: string;
  readonly form: 'open' | 'close' | 'empty';
  readonly name: string;
}

/** Names of tools and parameters have at most 128 characters. */
const LONGEST_TAG = 128 + '</ >'.length;
const TAG = /^<(\/?)([^\s<>/]+)( ?\/)?>$/;
const SPECIAL = /[\n`~<]/g;
const [NEWLINE, BACKTICK, TILDE, OPEN, CLOSE] = [0x0a, 0x60, 0x7e, 0x3c, 0x3e];
const LINE_END: Token = { kind: 'newline', raw: '\n' };

/** Cuts a text into tokens. What may still become a longer token is kept until more comes. */
export class Tokenizer {
  /** The beginning of a tag, or the first half of a character. */
  private pending = '';
  /** The marks at the end, which may become more. */
  private marks = { mark: '', count: 0 };

  constructor(private readonly take: (token: Token) => void) {}

  push(piece: string): void {
    const known = this.pending.length;
    const text = this.pending + piece.slice(this.continueRun(piece));
    if (this.marks.count > 0 && text === '') return;
    this.endRun();
    this.pending = '';
    let [from, at] = [0, 0];
    while ((at = specialIn(text, at)) < text.length) {
      const end = endOfToken(text, at, known);
      if (end === null) break;
      const token = tokenOf(text.slice(at, end));
      if (token !== null) {
        this.text(text.slice(from, at));
        this.take(token);
        from = end;
      }
      at = end;
    }
    if (at === text.length && isHighSurrogate(text.charCodeAt(at - 1))) at -= 1;
    this.text(text.slice(from, at));
    if (isMark(text.charCodeAt(at))) this.marks = { mark: text.charAt(at), count: text.length - at };
    else this.pending = text.slice(at);
  }

  /** Nothing more comes. */
  end(): void {
    this.endRun();
    this.text(this.pending);
    this.pending = '';
  }

  /** Counts the marks with which the run goes on. */
  private continueRun(piece: string): number {
    const { mark, count } = this.marks;
    if (count === 0) return 0;
    let more = 0;
    while (piece[more] === mark) more += 1;
    this.marks.count += more;
    return more;
  }

  private endRun(): void {
    const { mark, count } = this.marks;
    if (count === 0) return;
    this.marks = { mark: '', count: 0 };
    this.take({ kind: 'run', raw: mark.repeat(count) });
  }

  private text(raw: string): void {
    if (raw !== '') this.take({ kind: 'text', raw });
  }
}

function specialIn(text: string, from: number): number {
  SPECIAL.lastIndex = from;
  return SPECIAL.exec(text)?.index ?? text.length;
}

/** The place behind what begins at a special character; null when it may go on in the next piece. `known` characters were looked at. */
function endOfToken(text: string, at: number, known: number): number | null {
  const code = text.charCodeAt(at);
  if (code === NEWLINE) return at + 1;
  let end = at + 1;
  if (isMark(code)) {
    while (text.charCodeAt(end) === code) end += 1;
    return end === text.length ? null : end;
  }
  if (at === 0 && known > end) end = known;
  while (end < text.length && end - at < LONGEST_TAG && isInTag(text.charCodeAt(end))) end += 1;
  if (end === text.length && end - at < LONGEST_TAG) return null;
  return text.charCodeAt(end) === CLOSE ? end + 1 : end;
}

/** Null: it is text like any other. */
function tokenOf(raw: string): Token | null {
  if (raw === '\n') return LINE_END;
  if (!raw.startsWith('<')) return { kind: 'run', raw };
  return raw.endsWith('>') ? tagOf(raw) : null;
}

function tagOf(raw: string): Tag | null {
  const [, slash = '', name, empty] = TAG.exec(raw) ?? [];
  if (name === undefined || (slash !== '' && empty !== undefined)) return null;
  return { kind: 'tag', raw, name, form: slash !== '' ? 'close' : empty !== undefined ? 'empty' : 'open' };
}

function isMark(code: number): boolean {
  return code === BACKTICK || code === TILDE;
}

/** Neither an angle bracket, nor what a token of its own begins with. */
function isInTag(code: number): boolean {
  return code !== OPEN && code !== CLOSE && code !== NEWLINE && !isMark(code);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
