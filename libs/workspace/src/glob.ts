/**
 * Glob patterns with the meaning that .gitignore gives them. Matched without regular expressions: a pattern may come from a
 * model or from a stranger's repository, and backtracking in a regular expression would let it stop the process.
 */
import { matchStars } from '@bullpen/core';

/** What one character of a name is compared with. */
type Token =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | {
      readonly kind: 'class';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

/** One part of a pattern between slashes; `null` matches no name (an unfinished bracket or escape). */
type Segment = 'globstar' | { readonly literal: string } | { readonly tokens: readonly Token[] } | null;

/** A compiled pattern. An anchored one is compared with the whole path, the others with the last name only. */
export interface Glob {
  readonly anchored: boolean;
  readonly segments: readonly Segment[];
}

const POSIX_CLASSES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  alnum: [
    ['0', '9'],
    ['A', 'Z'],
    ['a', 'z'],
  ],
  alpha: [
    ['A', 'Z'],
    ['a', 'z'],
  ],
  blank: [
    [' ', ' '],
    ['\t', '\t'],
  ],
  cntrl: [
    ['\u0000', '\u001f'],
    ['\u007f', '\u007f'],
  ],
  digit: [['0', '9']],
  graph: [['!', '~']],
  lower: [['a', 'z']],
  print: [[' ', '~']],
  punct: [
    ['!', '/'],
    [':', '@'],
    ['[', '`'],
    ['{', '~'],
  ],
  space: [
    ['\t', '\r'],
    [' ', ' '],
  ],
  upper: [['A', 'Z']],
  xdigit: [
    ['0', '9'],
    ['A', 'F'],
    ['a', 'f'],
  ],
};

/**
 * Compiles a pattern: `*`, `?`, `[a-z]`, `**` between slashes, `\` to quote. A slash at the start or inside anchors it to
 * the folder that the pattern belongs to. Never throws: a broken pattern matches nothing, as in git.
 */
export function compileGlob(pattern: string): Glob {
  const anchored = pattern.includes('/');
  const parts = (pattern.startsWith('/') ? pattern.slice(1) : pattern).split('/');
  const segments = parts.map((part): Segment =>
    part === '**' && anchored ? 'globstar' : compileSegment(part),
  );
  // `a/**` means everything inside `a`, but not `a` itself.
  if (segments.at(-1) === 'globstar') segments.push({ tokens: [{ kind: 'star' }] });
  return { anchored, segments };
}

/** True when the glob matches a path, given as its names from the pattern's own folder down. */
export function globMatches(glob: Glob, names: readonly string[]): boolean {
  if (glob.anchored) return matchSegments(glob.segments, names);
  const last = names.at(-1);
  return last !== undefined && matchSegment(glob.segments[0] ?? null, last);
}

/** The patterns that `{a,b}` groups stand for, at most `limit` of them; nested groups too. Text without a group is itself. */
export function expandBraces(pattern: string, limit = 256): readonly string[] {
  const group = firstBraceGroup(pattern);
  if (!group) return [pattern];
  const results: string[] = [];
  for (const option of group.options) {
    // Asked for no more than is missing: `{a,b}` forty times over stands for a million millions.
    if (results.length >= limit) break;
    results.push(...expandBraces(group.before + option + group.after, limit - results.length));
  }
  return results;
}

function firstBraceGroup(pattern: string): { before: string; options: string[]; after: string } | null {
  const start = pattern.indexOf('{');
  if (start < 0) return null;
  const options: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let index = start; index < pattern.length; index += 1) {
    const char = pattern[index];
    if (char === '\\') index += 1;
    else if (char === '{') depth += 1;
    else if (char === ',' && depth === 1) {
      options.push(pattern.slice(from, index));
      from = index + 1;
    } else if (char === '}') {
      depth -= 1;
      if (depth > 0) continue;
      options.push(pattern.slice(from, index));
      return { before: pattern.slice(0, start), options, after: pattern.slice(index + 1) };
    }
  }
  return null;
}

function compileSegment(text: string): Segment {
  const chars = [...text];
  const tokens: Token[] = [];
  let index = 0;
  while (index < chars.length) {
    const char = chars[index] ?? '';
    if (char === '[') {
      const parsed = parseClass(chars, index);
      if (!parsed) return null;
      tokens.push(parsed.token);
      index = parsed.next;
      continue;
    }
    if (char === '\\') {
      const quoted = chars[index + 1];
      if (quoted === undefined) return null;
      tokens.push({ kind: 'char', char: quoted });
      index += 2;
      continue;
    }
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else tokens.push(char === '?' ? { kind: 'any' } : { kind: 'char', char });
    index += 1;
  }
  const literal = tokens.every((token) => token.kind === 'char');
  return literal
    ? { literal: tokens.map((token) => (token.kind === 'char' ? token.char : '')).join('') }
    : { tokens };
}

/** Reads `[...]` from its opening bracket; null when it never closes. */
function parseClass(chars: readonly string[], start: number): { token: Token; next: number } | null {
  let index = start + 1;
  const negated = chars[index] === '!' || chars[index] === '^';
  if (negated) index += 1;
  const ranges: (readonly [string, string])[] = [];
  for (let first = true; ; first = false) {
    let char = chars[index];
    if (char === undefined) return null;
    if (char === ']' && !first) return { token: { kind: 'class', negated, ranges }, next: index + 1 };
    const named = char === '[' && chars[index + 1] === ':' ? posixClass(chars, index) : null;
    if (named) {
      ranges.push(...named.ranges);
      index = named.next;
      continue;
    }
    if (char === '\\') char = chars[(index += 1)];
    if (char === undefined) return null;
    const isRange = chars[index + 1] === '-' && chars[index + 2] !== ']' && chars[index + 2] !== undefined;
    if (isRange) {
      index += 2;
      if (chars[index] === '\\') index += 1;
    }
    ranges.push([char, chars[index] ?? char]);
    index += 1;
  }
}

function posixClass(
  chars: readonly string[],
  start: number,
): { ranges: readonly (readonly [string, string])[]; next: number } | null {
  const end = chars.indexOf(']', start);
  if (end < 0 || chars[end - 1] !== ':') return null;
  const ranges = POSIX_CLASSES[chars.slice(start + 2, end - 1).join('')];
  return ranges ? { ranges, next: end + 1 } : null;
}

function matchSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  return matchStars(
    segments,
    names,
    (segment) => segment === 'globstar',
    (segment, name) => segment !== 'globstar' && matchSegment(segment, name),
  );
}

function matchSegment(segment: Segment, name: string): boolean {
  if (segment === null || segment === 'globstar') return false;
  if ('literal' in segment) return segment.literal === name;
  return matchStars(segment.tokens, [...name], (token) => token.kind === 'star', matchToken);
}

function matchToken(token: Token, char: string): boolean {
  switch (token.kind) {
    case 'char':
      return token.char === char;
    case 'any':
      return true;
    case 'class':
      return token.negated !== token.ranges.some(([low, high]) => low <= char && char <= high);
    case 'star':
      return false;
  }
}
