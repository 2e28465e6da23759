/** The records of an event stream, out of its bytes, however these are cut. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';

const BOM = '\ufeff';

export class EventRecords {
  #records: EventSourceMessage[] = [];
  readonly #parser = createParser({ onEvent: (record) => void this.#records.push(record) });
  // A mark of byte order is ours to take out: proxies that put answers together leave some in the middle.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #isLineStart = true;
  #endedInCr = false;

  constructor() {
    // Else it takes three letters at the beginning for such a mark.
    this.#parser.feed('');
  }

  /** The records that are whole with this piece. */
  of(piece: Uint8Array): readonly EventSourceMessage[] {
    const text = this.#decoder.decode(piece, { stream: true });
    if (text !== '') this.#parser.feed(this.#lines(text));
    const records = this.#records;
    if (records.length > 0) this.#records = [];
    return records;
  }

  /** The parser waits for what follows a CR at the end of a piece. For it each such line ends at once, and a LF that follows is none. */
  #lines(text: string): string {
    const [isLineStart, endedInCr] = [this.#isLineStart, this.#endedInCr];
    const last = text.at(-1);
    this.#endedInCr = last === '\r';
    this.#isLineStart = this.#endedInCr || last === '\n';
    const rest = endedInCr && text.startsWith('\n') ? text.slice(1) : text;
    const lines = rest.includes(BOM) ? withoutMarks(rest, isLineStart) : rest;
    return this.#endedInCr ? `${lines}\n` : lines;
  }
}

/** One at the beginning of each line is none of its letters. The line before ends in CR and LF then: either alone could find the other beside it. */
function withoutMarks(text: string, isLineStart: boolean): string {
  const rest = isLineStart && text.startsWith(BOM) ? text.slice(1) : text;
  return rest.replace(/(?:\r\n?|\n)\ufeff/g, '\r\n');
}
