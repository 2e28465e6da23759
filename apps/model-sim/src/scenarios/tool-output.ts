/**
 * Reads what the product's tools print. This is the only place that knows their text formats: when a format changes, this
 * file changes. Everything is read tolerantly; what can't be understood is reported as missing, never guessed.
 */

type EntryKind = 'file' | 'binary' | 'directory' | 'link';

export interface ListingEntry {
  kind: EntryKind;
  /** Relative to the workspace root, with `/`, without a slash at the end. */
  path: string;
  /** Lines of a text file; undefined without details, or for anything else. */
  lines: number | undefined;
  bytes: number | undefined;
}

export interface Page {
  /** Of all pages together. */
  total: number;
  /** Where to go on; undefined when this was the last page. */
  nextOffset: number | undefined;
}

export interface Listing extends Page {
  entries: ListingEntry[];
}

export interface SearchMatch {
  path: string;
  line: number;
  column: number;
  text: string;
}

export interface SearchResult extends Page {
  matches: SearchMatch[];
  /** What the search could not do, in its own words. */
  notes: string[];
}

const LISTING_HEAD = /^.*: (\d+) entr(?:y|ies)\b/;
const SEARCH_HEAD = /^(\d+) match(?:es)?\b/;
const MORE = /^…\s*\d+ more .*\boffset (\d+)\s*$/;
/** Not to be confused with a line that a cap has cut. */
const NOTE = /^… (\d+ files could not be read|stopped counting at \d+ matches\b.*)$/;
const DETAILS = /^([fbdl]) (\d+|-) (\d+|-) (.*)$/;
const PLAIN = /^([fbdl]) (.*)$/;
const KINDS: Readonly<Record<string, EntryKind>> = { f: 'file', b: 'binary', d: 'directory', l: 'link' };

/**
 * A page of `list_files` without details, asked for with `offset`. Undefined when the text is no listing. A page whose
 * middle was cut out by the cap on tool results gives the entries in front of the cut, and the offset that continues there.
 */
export function parseListing(text: string, offset = 0): Listing | undefined {
  return readListing(text, offset, parsePlainEntry);
}

/** A page of `list_files` with details; else as `parseListing`. The two can't be told apart by their text alone. */
export function parseDetailedListing(text: string, offset = 0): Listing | undefined {
  return readListing(text, offset, parseDetailedEntry);
}

/** A page of `search_files`; as `parseListing`. */
export function parseSearch(text: string, offset = 0): SearchResult | undefined {
  const [head = '', ...lines] = linesOf(text);
  const total = SEARCH_HEAD.exec(head)?.[1];
  if (total === undefined) return undefined;
  const notes = lines.flatMap((line) => NOTE.exec(line)?.[1] ?? []);
  const found = lines.filter((line) => !NOTE.test(line));
  const { items: matches, nextOffset } = readItems(found, parseMatch, offset);
  return { total: Number(total), matches, notes, nextOffset };
}

/** The JSON value that a tool result consists of, or undefined. */
export function parseJsonResult(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readListing(
  text: string,
  offset: number,
  parse: (line: string) => ListingEntry | undefined,
): Listing | undefined {
  const [head = '', ...lines] = linesOf(text);
  const total = LISTING_HEAD.exec(head)?.[1];
  if (total === undefined) return undefined;
  const { items: entries, nextOffset } = readItems(lines, parse, offset);
  return { total: Number(total), entries, nextOffset };
}

function linesOf(text: string): string[] {
  return text.replace(/\n+$/, '').split('\n');
}

function readItems<T>(lines: readonly string[], parse: (line: string) => T | undefined, offset: number) {
  const items: T[] = [];
  for (const line of lines) {
    const more = MORE.exec(line)?.[1];
    if (more !== undefined) return { items, nextOffset: Number(more) };
    const item = parse(line);
    if (item === undefined)
      return { items: items.slice(0, -1), nextOffset: continueAfterCut(offset, items.length) };
    items.push(item);
  }
  return { items, nextOffset: undefined };
}

/** The line in front of a cut may itself be cut, so it is read again. Without one whole line there is no progress: stop. */
function continueAfterCut(offset: number, itemCount: number): number | undefined {
  return itemCount > 1 ? offset + itemCount - 1 : undefined;
}

function parsePlainEntry(line: string): ListingEntry | undefined {
  const [, letter = '', rest = ''] = PLAIN.exec(line) ?? [];
  return entryOf(letter, rest, undefined, undefined);
}

function parseDetailedEntry(line: string): ListingEntry | undefined {
  const [, letter = '', lines, bytes, rest = ''] = DETAILS.exec(line) ?? [];
  return entryOf(letter, rest, lines, bytes);
}

function entryOf(
  letter: string,
  rest: string,
  lines: string | undefined,
  bytes: string | undefined,
): ListingEntry | undefined {
  const kind = KINDS[letter];
  const start = kind === undefined ? undefined : pathAtStart(rest, kind === 'link' ? ' -> ' : undefined);
  if (kind === undefined || start === undefined) return undefined;
  return { kind, path: start.path.replace(/\/$/, ''), lines: numberOf(lines), bytes: numberOf(bytes) };
}

function parseMatch(line: string): SearchMatch | undefined {
  const start = pathAtStart(line, ':');
  if (start === undefined) return undefined;
  const place = /^:(\d+):(\d+): ?(.*)$/s.exec(start.rest);
  if (place === null) return undefined;
  return { path: start.path, line: Number(place[1]), column: Number(place[2]), text: place[3] ?? '' };
}

/** A path that is a JSON string ends with it; a bare one at the separator, or with the line. */
function pathAtStart(
  text: string,
  separator: string | undefined,
): { path: string; rest: string } | undefined {
  if (text.startsWith('"')) {
    const quoted = /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0];
    const path = quoted === undefined ? undefined : parseJsonResult(quoted);
    return typeof path === 'string' && quoted !== undefined
      ? { path, rest: text.slice(quoted.length) }
      : undefined;
  }
  const end = separator === undefined ? -1 : text.indexOf(separator);
  if (separator !== undefined && end < 0) return undefined;
  return end < 0 ? { path: text, rest: '' } : { path: text.slice(0, end), rest: text.slice(end) };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || text === '-' ? undefined : Number(text);
}
