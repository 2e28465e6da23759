/**
 * Reads a sed script and says whether it only edits text. GNU sed can run commands (`e`, `s///e`), write files (`w`, `s///w`)
 * and read others (`r`); what is not recognised here counts as such.
 */

/**
 * Null when the script does no more than edit; else the part of it that may. Seds differ in whether a delimiter ends a part
 * within brackets (`s/[^/]*$//`), so the script must be safe in both readings, or be an error in the one that sees no brackets.
 */
export function unsafeSed(script: string): string | null {
  const unsafe = firstUnsafe({ text: script, at: 0, seesBrackets: true, isError: false });
  if (unsafe !== null) return unsafe;
  const other: Reader = { text: script, at: 0, seesBrackets: false, isError: false };
  const unsafeThere = firstUnsafe(other);
  return other.isError ? null : unsafeThere;
}

function firstUnsafe(reader: Reader): string | null {
  const { text } = reader;
  while (true) {
    skip(reader, /[\s;{}]*/y);
    if (reader.at >= text.length) return null;
    const from = reader.at;
    if (text[from] === '#') {
      skip(reader, /[^\n]*/y);
      continue;
    }
    if (!readAddresses(reader) || !readCommand(reader)) return text.slice(from, from + 40);
  }
}

interface Reader {
  readonly text: string;
  at: number;
  readonly seesBrackets: boolean;
  /** The script is none: sed reads all of it before it runs any, so it runs nothing. */
  isError: boolean;
}

function skip(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0] ?? '';
  reader.at += found.length;
  return found;
}

function readAddresses(reader: Reader): boolean {
  if (!readAddress(reader)) return false;
  skip(reader, /[ \t]*/y);
  if (reader.text[reader.at] === ',') {
    reader.at += 1;
    skip(reader, /[ \t]*/y);
    if (skip(reader, /[+~]\d+/y) === '' && !readAddress(reader)) return false;
  }
  skip(reader, /[ \t!]*/y);
  return true;
}

/** An address or nothing; false when one begins that cannot be read. */
function readAddress(reader: Reader): boolean {
  if (skip(reader, /\d+(~\d+)?|\$/y) !== '') return true;
  if (reader.text[reader.at] === '/') {
    if (!readDelimited(reader, '/', true)) return false;
    skip(reader, /[IM]*/y);
    return true;
  }
  // `\cREGEXc`, with a delimiter of one's own choice, is left to people.
  return reader.text[reader.at] !== '\\';
}

function readCommand(reader: Reader): boolean {
  const command = reader.text[reader.at] ?? '';
  reader.at += 1;
  switch (command) {
    case '{':
    case '}':
      return true;
    case '=':
    case 'd':
    case 'D':
    case 'g':
    case 'G':
    case 'h':
    case 'H':
    case 'n':
    case 'N':
    case 'p':
    case 'P':
    case 'x':
    case 'z':
      return ends(reader);
    case 'l':
    case 'q':
    case 'Q':
      skip(reader, /[ \t]*\d*/y);
      return ends(reader);
    case 'b':
    case 't':
    case 'T':
    case ':':
      skip(reader, /[ \t]*[A-Za-z0-9_]*/y);
      return ends(reader);
    case 'a':
    case 'i':
    case 'c':
      // Text to the end of the line; a backslash carries it on, and the lines after could then be read in two ways.
      return !/\\(\n|$)/.test(skip(reader, /[^\n]*/y)) || reader.text.slice(reader.at).trim() === '';
    case 's':
      return readSubstitution(reader);
    case 'y':
      return readTwoParts(reader, false) && ends(reader);
    default:
      return false;
  }
}

function readSubstitution(reader: Reader): boolean {
  if (!readTwoParts(reader, true)) return false;
  skip(reader, /[gipImM0-9]*/y);
  if (ends(reader)) return true;
  // What is no flag of `s` at all, as opposed to those that run or write.
  reader.isError = /[^ew\s;}#]/.test(reader.text[reader.at] ?? '');
  return false;
}

function readTwoParts(reader: Reader, isPattern: boolean): boolean {
  const delimiter = reader.text[reader.at] ?? '';
  if (!/[/|,#@:!%~_+=^-]/.test(delimiter)) return false;
  if (!readDelimited(reader, delimiter, isPattern)) return false;
  reader.at -= 1;
  return readDelimited(reader, delimiter, false);
}

/** From the delimiter to behind the next one; false when there is none on the line. */
function readDelimited(reader: Reader, delimiter: string, isPattern: boolean): boolean {
  for (let at = reader.at + 1; at < reader.text.length; at += 1) {
    const char = reader.text[at];
    if (char === '\n') return false;
    if (char === delimiter) {
      reader.at = at + 1;
      return true;
    }
    if (char === '\\') at += 1;
    else if (char === '[' && isPattern && reader.seesBrackets) {
      BRACKET.lastIndex = at;
      const bracket = BRACKET.exec(reader.text)?.[0];
      if (bracket === undefined) return false;
      at += bracket.length - 1;
    }
  }
  return false;
}

/** A whole bracket expression. A backslash or a bracket in it is read in too many ways. */
const BRACKET = /\[\^?\]?(?:\[:\w+:\]|[^\]\\[\n])*\]/y;

function ends(reader: Reader): boolean {
  skip(reader, /[ \t]*/y);
  return reader.at >= reader.text.length || /[;\n}#]/.test(reader.text[reader.at] ?? '');
}
