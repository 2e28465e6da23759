/** A text that comes in pieces, each with its place: pieces may come twice, and some may never come. */

interface Piece {
  readonly offset: number;
  text: string;
}

/** Stands where something is missing. */
const GAP = '…';

export class GrowingText {
  private pieces: Piece[] = [];

  /** `keep`: about so many characters are held, the newest ones. */
  constructor(private readonly keep = Infinity) {}

  /** Takes a piece in and says whether it changed the text. Costs the same however long the text is. */
  take(offset: number, text: string): boolean {
    if (text === '') return false;
    const last = this.pieces.at(-1);
    if (last === undefined || offset > endOf(last)) this.pieces.push({ offset, text });
    else if (offset === endOf(last)) last.text += text;
    else if (!this.sayAnew(offset, text)) return false;
    this.forget();
    return true;
  }

  get text(): string {
    const [first] = this.pieces;
    const start = first === undefined || first.offset === 0 ? '' : GAP;
    return start + this.pieces.map(({ text }) => text).join(GAP);
  }

  /** What begins in the middle is a repeat, or another ending: then the old one is void. */
  private sayAnew(offset: number, text: string): boolean {
    const index = this.pieces.findLastIndex((piece) => piece.offset <= offset);
    const piece = this.pieces[index];
    if (piece === undefined) {
      this.pieces = [{ offset, text }];
      return true;
    }
    const at = offset - piece.offset;
    if (piece.text.startsWith(text, at)) return false;
    const rest = offset > endOf(piece) ? [{ offset, text }] : [];
    if (rest.length === 0) piece.text = piece.text.slice(0, at) + text;
    this.pieces = [...this.pieces.slice(0, index + 1), ...rest];
    return true;
  }

  private forget(): void {
    const last = this.pieces.at(-1);
    // Twice as much, so that the cut is rare.
    if (last === undefined || last.text.length <= this.keep * 2) return;
    const gone = last.text.length - this.keep;
    this.pieces = [{ offset: last.offset + gone, text: last.text.slice(gone) }];
  }
}

function endOf({ offset, text }: Piece): number {
  return offset + text.length;
}
