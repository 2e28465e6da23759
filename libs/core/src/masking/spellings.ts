/**
 * How one character may be spelled where it is no longer plain text: in URLs, JSON, shells, HTML. A value is found in a text
 * whatever mixture of these it went through, for each character is looked for in all of its spellings.
 */

/** HTML's names; quotes have numbers in most programs, which all characters may have. */
const HTML_NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** What ends a quoted word of a shell, gives one quote, and goes on. */
const QUOTE_IN_SHELL = ["'\\''", `'"'"'`];

/** The short escapes of C, JSON and `$'…'`. */
const CONTROLS: Readonly<Record<string, readonly string[]>> = {
  '\n': ['\\n', '\r\n', '\\r\\n', '%0D%0A', '%0d%0a'],
  '\r': ['\\r'],
  '\t': ['\\t'],
  '\b': ['\\b'],
  '\f': ['\\f'],
  '\v': ['\\v'],
  '\u001b': ['\\e', '\\E'],
};

/** JSON inside JSON: an event that quotes a command that prints a document. */
const JSON_LEVELS = 3;

const known = new Map<string, readonly string[]>();

/** All spellings of a character (a code point), its plain self first. */
export function spellingsOf(character: string): readonly string[] {
  const found = known.get(character);
  if (found) return found;
  const all = new Set([character, ...escapes(character)]);
  for (const spelling of [...all]) for (const nested of inJson(spelling)) all.add(nested);
  const list = [...all];
  known.set(character, list);
  return list;
}

function escapes(character: string): string[] {
  const bytes = utf8(character);
  const units = [...Array(character.length).keys()].map((at) => character.charCodeAt(at));
  const point = character.codePointAt(0) ?? 0;
  const spelled = (prefix: string, numbers: readonly number[], radix: number, width: number) =>
    numbers.map((number) => prefix + number.toString(radix).padStart(width, '0')).join('');
  const inHex = (prefix: string, numbers: readonly number[], width: number) =>
    [spelled(prefix, numbers, 16, width)].flatMap((lower) => [lower, upperDigits(prefix, lower)]);
  return [
    // What is left of it where each byte was taken for a character.
    String.fromCharCode(...bytes),
    ...inHex('%', bytes, 2),
    ...inHex('%25', bytes, 2),
    ...inHex('\\x', bytes, 2),
    ...inHex('\\u', units, 4),
    spelled('\\', bytes, 8, 3),
    ...[`&#${point};`, `&#0${point};`],
    ...inHex('&#x', [point], 0).flatMap((text) => [`${text};`, `${text.replace('x', 'X')};`]),
    ...(HTML_NAMES[character] === undefined ? [] : [HTML_NAMES[character]]),
    ...(CONTROLS[character] ?? []),
    ...(/[!-/:-@[-`{-~ ]/.test(character) ? [`\\${character}`] : []),
    ...(character === ' ' ? ['+'] : []),
    ...(character === "'" ? QUOTE_IN_SHELL : []),
  ];
}

function upperDigits(prefix: string, text: string): string {
  return text
    .split(prefix)
    .map((digits) => digits.toUpperCase())
    .join(prefix);
}

function inJson(spelling: string): string[] {
  const levels: string[] = [];
  for (let text = spelling; levels.length < JSON_LEVELS;) {
    text = JSON.stringify(text).slice(1, -1);
    levels.push(text);
  }
  return levels;
}

/** The bytes of a text in UTF-8. */
export function utf8(text: string): number[] {
  const bytes: number[] = [];
  for (const [, hex, plain = ''] of encodeURIComponent(text.toWellFormed()).matchAll(/%(..)|([^])/g))
    bytes.push(hex === undefined ? plain.charCodeAt(0) : parseInt(hex, 16));
  return bytes;
}
