/**
 * Text that arrives in pieces, on its way to a terminal: a word is given out when it is whole, and goes to the next line when there is
 * no room for it on this one. Pieces end anywhere, in the middle of a word, of a letter or of an escape sequence.
 */
import { plainText } from './plain-text.js';
import { widthOf } from './width.js';

const graphemes = new Intl.Segmenter();
/** As terminals show it. */
const TAB_WIDTH = 8;

export class FlowingText {
  /** Came in, and may go on with the next piece. */
  private held = '';
  private column = 0;
  /** Space before the next word: none is needed at the end of a line. */
  private space = '';
  /** What comes next belongs to the word before it, which was too long to be held back. */
  private inWord = false;

  constructor(private readonly columns: () => number) {}

  /** Whether what was given out ends within a line. */
  get inLine(): boolean {
    return this.column > 0;
  }

  /** What can be shown by now. */
  push(piece: string): string {
    this.held += piece;
    const whole = wholeWords(this.held, this.columns());
    this.held = this.held.slice(whole.length);
    return this.flow(whole);
  }

  /** The rest; the text is over. */
  end(): string {
    const rest = this.flow(this.held);
    this.held = '';
    this.space = '';
    return rest;
  }

  /** Something else was shown below: the next word begins a line. */
  lineBroken(): void {
    this.column = 0;
    this.space = '';
    this.inWord = false;
  }

  private flow(raw: string): string {
    return [...plainText(raw).matchAll(/\n|[^\S\n]+|\S+/g)].map(([token]) => this.place(token)).join('');
  }

  private place(token: string): string {
    if (token === '\n') {
      this.lineBroken();
      return token;
    }
    if (token.trim() === '') {
      this.space += token;
      this.inWord = false;
      return '';
    }
    if (this.inWord) return this.word(token);
    this.inWord = true;
    const { space } = this;
    this.space = '';
    const gap = widthOf(space) + space.split('\t').length * TAB_WIDTH - TAB_WIDTH;
    const width = widthOf(token);
    if (this.column > 0 && this.column + gap + width > this.columns()) {
      this.column = 0;
      return `\n${this.word(token)}`;
    }
    this.column += gap;
    return space + this.word(token);
  }

  /** One that is longer than a line is cut between letters. */
  private word(word: string): string {
    let text = '';
    for (const { segment } of graphemes.segment(word)) {
      const width = widthOf(segment);
      if (this.column > 0 && this.column + width > this.columns()) {
        text += '\n';
        this.column = 0;
      }
      text += segment;
      this.column += width;
    }
    return text;
  }
}

/**
 * The beginning of a text that no later piece can change: up to its last space, or, where a line has none (long paths, and languages
 * that need none), up to its last letter.
 */
export function wholeWords(text: string, columns: number): string {
  const end = text.search(/\S*$/);
  const tail = text.slice(end);
  if (widthOf(tail) <= columns) return text.slice(0, end);
  const last = [...graphemes.segment(tail)].at(-1)?.segment ?? '';
  return text.slice(0, text.length - last.length);
}
