/** Patterns of names: `*`, `?`, sets of letters, and a backslash before what stands for itself. */
import { matchStars } from '@bullpen/core';

type Piece =
  | { readonly kind: 'text'; readonly char: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'many' }
  | { readonly kind: 'set'; readonly holds: (char: string) => boolean };

/** A pattern that can be matched; null for one that programs read in different ways (`[[:alpha:]]`, `[^a]`). */
export type Wildcard = readonly Piece[] | null;

/** A set that every program reads alike. */
const SET = /\[(!?)([\w.,:@%+-]+)\]/y;

/** Reads a pattern; null for one that programs read in different ways. */
export function wildcard(pattern: string): Wildcard {
  const pieces: Piece[] = [];
  for (let at = 0; at < pattern.length;) {
    const char = String.fromCodePoint(pattern.codePointAt(at) as number);
    at += char.length;
    if (char === '*') pieces.push({ kind: 'many' });
    else if (char === '?') pieces.push({ kind: 'one' });
    else if (char === '\\') {
      pieces.push({ kind: 'text', char: pattern[at] ?? '\\' });
      at += 1;
    } else if (char === '[' && pattern.includes(']', at)) {
      SET.lastIndex = at - 1;
      const set = SET.exec(pattern);
      if (set === null) return null;
      pieces.push({ kind: 'set', holds: holdsOf(set[1] === '!', set[2] ?? '') });
      at = SET.lastIndex;
    } else pieces.push({ kind: 'text', char });
  }
  return pieces;
}

function holdsOf(isNegated: boolean, members: string): (char: string) => boolean {
  const tests: ((char: string) => boolean)[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] as string;
    const to = members[at + 1] === '-' ? members[at + 2] : undefined;
    tests.push(to === undefined ? (char) => char === from : (char) => char >= from && char <= to);
    if (to !== undefined) at += 2;
  }
  return (char) => tests.some((test) => test(char)) !== isNegated;
}

/** Whether a name matches; true when the pattern cannot be read. Takes time in proportion to both lengths multiplied. */
export function mayMatch(pattern: Wildcard, name: string): boolean {
  return pattern === null || matchStars(pattern, [...name], ({ kind }) => kind === 'many', fits);
}

function fits(piece: Piece, char: string): boolean {
  if (piece.kind === 'text') return piece.char === char;
  return piece.kind === 'one' || (piece.kind === 'set' && piece.holds(char));
}

/** Whether a part of a pattern is more than a name. */
export function isWild(pattern: string): boolean {
  return /[*?[]/.test(pattern.replace(/\\./g, ''));
}

/** The name that a part without wildcards stands for. */
export function plainName(pattern: string): string {
  return pattern.replace(/\\(.)/g, '$1');
}
