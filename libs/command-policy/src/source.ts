/** Maps places of a nested script (`bash -c '…'`) back to the line that people see. */
import type { Span } from './types.js';

export interface Source {
  readonly text: string;
  /** The part of the line that a range of `text` stands for. */
  readonly span: (start: number, end: number) => Span;
}

export function lineSource(line: string): Source {
  return { text: line, span: (start, end) => ({ start, end, text: line.slice(start, end) }) };
}

/** A script that stands in the line as it is, from `offset` on. */
export function shiftedSource(text: string, outer: Source, offset: number): Source {
  return { text, span: (start, end) => outer.span(start + offset, end + offset) };
}

/** A script whose text is not in the line letter by letter: all of it points to the words that make it. */
export function fixedSource(text: string, span: Span): Source {
  return { text, span: () => span };
}
