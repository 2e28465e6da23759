/**
 * Cuts Markdown into its blocks while it is being written, so that only the last one has to be parsed again. What is before the last
 * block does not change any more; each step costs what has come since, not what there is.
 */

export interface Block {
  /** Where it begins: a key that stays. */
  readonly start: number;
  readonly kind: 'prose' | 'code';
  /** The source of prose; of code, what is between the fences. */
  readonly text: string;
  /** The word after the fence. */
  readonly language: string;
}

export interface Blocks {
  readonly text: string;
  /** All but the last one. */
  readonly settled: readonly Block[];
  readonly last: Block | null;
}

const NO_BLOCKS: Blocks = { text: '', settled: [], last: null };

const FENCE = /^( {0,3})(`{3,}|~{3,})([^`\n]*)$/;
const LIST_ITEM = /^ {0,1}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const INDENTED = /^(?: {2}|\t)/;
/** A list that is longer is cut between its items, in characters. */
const LONG_LIST = 4_000;

/** The blocks of a text, from those of an earlier state of it if there is one. */
export function blocksOf(text: string, before: Blocks = NO_BLOCKS): Blocks {
  if (text === before.text) return before;
  const known = text.startsWith(before.text) ? before : NO_BLOCKS;
  const cutter = new Cutter(text, known.last?.start ?? 0);
  cutter.run();
  const [settled, last] = [cutter.blocks.slice(0, -1), cutter.blocks.at(-1) ?? null];
  return { text, settled: settled.length === 0 ? known.settled : [...known.settled, ...settled], last };
}

/** Goes through the text line by line, from the beginning of a block. */
class Cutter {
  readonly blocks: Block[] = [];
  private start: number;
  private fence: { readonly mark: string; readonly language: string; readonly body: number } | null = null;
  private inList = false;
  private empty = true;
  private afterBlank = false;

  constructor(
    private readonly text: string,
    from: number,
  ) {
    this.start = from;
  }

  run(): void {
    for (let at = this.start; at < this.text.length;) {
      const newline = this.text.indexOf('\n', at);
      const end = newline < 0 ? this.text.length : newline;
      this.line(this.text.slice(at, end), at, Math.min(end + 1, this.text.length));
      at = end + 1;
    }
    if (this.fence !== null) this.code(this.text.length);
    else this.prose(this.text.length);
  }

  private line(line: string, at: number, next: number): void {
    if (this.fence !== null) {
      if (isEnd(line, this.fence.mark)) {
        this.code(at);
        this.begin(next);
      }
      return;
    }
    if (line.trim() === '') {
      this.afterBlank = !this.empty;
      return;
    }
    const fence = FENCE.exec(line);
    if (fence !== null && !(this.inList && INDENTED.test(line))) {
      this.prose(at);
      this.begin(at);
      this.fence = { mark: fence[2] ?? '', language: (fence[3] ?? '').trim(), body: next };
      return;
    }
    if (this.beginsBlock(line, at)) {
      this.prose(at);
      this.begin(at);
    }
    if (this.empty) this.inList = LIST_ITEM.test(line);
    this.empty = false;
    this.afterBlank = false;
  }

  private beginsBlock(line: string, at: number): boolean {
    if (this.empty) return false;
    const isItem = this.inList && LIST_ITEM.test(line);
    if (isItem) return at - this.start > LONG_LIST;
    return this.afterBlank && !INDENTED.test(line);
  }

  private begin(at: number): void {
    this.start = at;
    this.fence = null;
    this.inList = false;
    this.empty = true;
    this.afterBlank = false;
  }

  private prose(end: number): void {
    if (this.empty) return;
    this.blocks.push({
      start: this.start,
      kind: 'prose',
      text: this.text.slice(this.start, end).trimEnd(),
      language: '',
    });
  }

  private code(end: number): void {
    const { body = end, language = '' } = this.fence ?? {};
    const text = this.text.slice(Math.min(body, end), end).replace(/\n$/, '');
    this.blocks.push({ start: this.start, kind: 'code', text, language });
  }
}

function isEnd(line: string, mark: string): boolean {
  const trimmed = line.trim();
  return trimmed.length >= mark.length && trimmed === (mark[0] ?? '').repeat(trimmed.length);
}

/** Longest block that is parsed, in characters; a paragraph of a person is far shorter. */
const MAX_PARSED = 24_000;
const MAX_MARKS = 1_000;
/** So many quotes or lists within each other at the beginning of a line. */
const DEEP = /^(?:[ \t]{0,3}(?:>|[-*+] |\d{1,9}[.)] )){16}/m;

/** Whether parsing this could take long: marks that may pair up in any way cost the square of their number. */
export function isTooHeavy(text: string): boolean {
  if (text.length > MAX_PARSED || DEEP.test(text)) return true;
  let marks = 0;
  for (let index = 0; index < text.length && marks <= MAX_MARKS; index += 1)
    if ('*_[]`~<!'.includes(text[index] ?? '')) marks += 1;
  return marks > MAX_MARKS;
}
