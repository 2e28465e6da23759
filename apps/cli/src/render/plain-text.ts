/**
 * Makes text that came from a model, a tool or a file safe for a terminal. Such text may hold escape sequences that move the
 * cursor, rewrite what was printed, set the title or the clipboard; here it becomes letters only.
 */
import { stripVTControlCharacters } from 'node:util';

/** All control characters but tab and line feed, and the bidirectional overrides that can show text in another order. */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text without control sequences; line breaks and tabs stay. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replaceAll(CONTROLS, '');
}

/** The text on one line: runs of white space become one space. */
export function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, ' ').trim();
}
