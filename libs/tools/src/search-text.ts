/** How a found line reads: trimmed around its match, with its context. */
import { showPath } from './pages.js';

/** Longer lines are cut to this many characters. */
const MAX_LINE_CHARS = 300;

/** A line of a file: its number and its text, already trimmed. */
export interface FoundLine {
  readonly line: number;
  readonly text: string;
}

/** A matching line with the lines around it that belong to it. */
export interface FoundMatch extends FoundLine {
  readonly path: string;
  /** Of the first match, in characters (code points), counted from 1. */
  readonly column: number;
  readonly before: readonly FoundLine[];
  readonly after: readonly FoundLine[];
}

/** The match as one or, with context, several lines; `--` stands where lines are left out between two of them. */
export function textOfMatch(match: FoundMatch, previous: FoundMatch | undefined, context: number): string {
  const path = showPath(match.path, [':']);
  const around = ({ line, text }: FoundLine): string => `${path}-${line}- ${text}`;
  const lines = [
    ...match.before.map(around),
    `${path}:${match.line}:${match.column}: ${match.text}`,
    ...match.after.map(around),
  ];
  return context > 0 && previous !== undefined && !adjoin(previous, match)
    ? ['--', ...lines].join('\n')
    : lines.join('\n');
}

function adjoin(previous: FoundMatch, match: FoundMatch): boolean {
  const end = previous.after.at(-1)?.line ?? previous.line;
  const start = match.before[0]?.line ?? match.line;
  return previous.path === match.path && start === end + 1;
}

/** The text around the match (`start` and `end` in UTF-16 units), `…` where something is missing. */
export function trimAround(text: string, start: number, end: number): string {
  if (text.length <= MAX_LINE_CHARS) return text;
  const room = Math.max(0, MAX_LINE_CHARS - (end - start));
  // A third of the room before the match; what one side does not need goes to the other.
  let from = Math.max(0, Math.min(start - Math.floor(room / 3), text.length - MAX_LINE_CHARS));
  let to = Math.min(text.length, from + MAX_LINE_CHARS);
  if (from > 0 && isLowSurrogate(text, from)) from += 1;
  if (to < text.length && isLowSurrogate(text, to)) to -= 1;
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
