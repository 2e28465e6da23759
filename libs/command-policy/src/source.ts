/** Maps places of a nested script (`bash -c '…'`) back to the line that people see. */
import type { Span } from './types.js';
import type { Arg } from './arg.js';

export interface Source {
  readonly text: string;
  /** The part of the line that a range of `text` stands for. */
  readonly span: (start: number, end: number) => Span;
}

/** The line itself: each place of it stands for itself. */
export function lineSource(line: string): Source {
  return { text: line, span: (start, end) => ({ start, end, text: line.slice(start, end) }) };
}

/** A script whose text is not in the line letter by letter: all of it points to the words that make it. */
export function fixedSource(text: string, span: Span): Source {
  return { text, span: () => span };
}

/** The script in a word: at its own place when it is one quoted piece of the line itself, else as a whole. */
export function scriptSource(arg: Arg, source: Source): Source {
  const { text, start, end } = arg.span;
  const isOnePiece = /^['"]/.test(text) && text.slice(1, -1) === arg.value;
  const isTopLevel = source.span(0, 0).start === 0 && source.text.slice(start, end) === text;
  if (!isOnePiece || !isTopLevel) return fixedSource(arg.value, arg.span);
  return { text: arg.value, span: (from, to) => source.span(from + start + 1, to + start + 1) };
}
