/**
 * Reads a sed script and says whether it only edits text. GNU sed can run commands (`e`, `s///e`), write files (`w`, `s///w`)
 * and read others (`r`); what is not recognised here counts as such.
 */

/** Null when the script does no more than edit; else the part of it that may. */
export function unsafeSed(script: string): string | null {
  const reader = { text: script, at: 0 };
  while (true) {
    skip(reader, /[\s;{}]*/y);
    if (reader.at >= script.length) return null;
    const from = reader.at;
    if (script[from] === '#') {
      skip(reader, /[^\n]*/y);
      continue;
    }
    if (!readAddresses(reader) || !readCommand(reader)) return script.slice(from, from + 40);
  }
}

interface Reader {
  readonly text: string;
  at: number;
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
    if (readDelimited(reader, '/') === null) return false;
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
      return readTwoParts(reader) && ends(reader);
    default:
      return false;
  }
}

function readSubstitution(reader: Reader): boolean {
  if (!readTwoParts(reader)) return false;
  skip(reader, /[gipImM0-9]*/y);
  return ends(reader);
}

function readTwoParts(reader: Reader): boolean {
  const delimiter = reader.text[reader.at] ?? '';
  if (!/[/|,#@:!%~_+=^-]/.test(delimiter)) return false;
  if (readDelimited(reader, delimiter) === null) return false;
  reader.at -= 1;
  return readDelimited(reader, delimiter) !== null;
}

/** From the delimiter to behind the next one; null when there is none, or a bracket makes its place doubtful. */
function readDelimited(reader: Reader, delimiter: string): string | null {
  const from = reader.at + 1;
  for (let at = from; at < reader.text.length; at += 1) {
    const char = reader.text[at];
    if (char === '\\') at += 1;
    else if (char === '\n') return null;
    else if (char === delimiter) {
      const part = reader.text.slice(from, at);
      // In `[…]` a delimiter stands for itself in some seds and ends the part in others.
      if (openBracket(part)) return null;
      reader.at = at + 1;
      return part;
    }
  }
  return null;
}

function openBracket(part: string): boolean {
  const unescaped = part.replace(/\\./gs, '');
  return unescaped.replace(/\[\^?\]?(\[:\w+:\]|[^\]])*\]/g, '').includes('[');
}

function ends(reader: Reader): boolean {
  skip(reader, /[ \t]*/y);
  return reader.at >= reader.text.length || /[;\n}#]/.test(reader.text[reader.at] ?? '');
}
