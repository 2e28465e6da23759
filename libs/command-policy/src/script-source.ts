/** Where the text of a script that is given as a word stands in the line. */
import { fixedSource, shiftedSource, type Source } from './source.js';
import type { Arg } from './words.js';

/** The script in a word: at its own place when it is one quoted piece, else as a whole. */
export function scriptSource(arg: Arg, source: Source): Source {
  const { text, start, end } = arg.span;
  const isOnePiece =
    text.length === arg.value.length + 2 && /^['"]/.test(text) && text.slice(1, -1) === arg.value;
  const isTopLevel = source.span(0, 0).start === 0 && source.text.slice(start, end) === text;
  return isOnePiece && isTopLevel
    ? shiftedSource(arg.value, source, start + 1)
    : fixedSource(arg.value, arg.span);
}
