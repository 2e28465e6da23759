/**
 * What a word of the line means, read from its text with our own eyes. The parser's value must agree: where two readers of
 * the same text differ, bash may be a third.
 */
import type { Word } from 'unbash';
import type { Arg, ArgKind, Variables } from './arg.js';
import { finding, type RuleId } from './rules.js';
import type { Span } from './types.js';

/** Reads a word at a place of the line. */
export function readWord(word: Word, span: Span, variables: Variables): Arg {
  const { kind, value, trouble, pattern } = unquote(word.text);
  const arg = { kind, value, span, quoted: word.text !== value, ...(kind === 'glob' && { pattern }) };
  if (trouble !== null) {
    const known = trouble === 'subset.expansion' ? resolve(word.text, variables) : null;
    return {
      ...arg,
      kind: known === null ? 'unknown' : 'literal',
      value: known ?? word.value,
      trouble: finding(trouble, MESSAGES[trouble] ?? '', span),
    };
  }
  if (value === word.value) return { ...arg, trouble: null };
  const twofold = finding('parse.disagreement', 'The word can be read in two ways.', span);
  return { ...arg, kind: 'unknown', trouble: twofold };
}

const MESSAGES: Partial<Record<RuleId, string>> = {
  'subset.expansion': 'What the word stands for is not known before the line runs.',
  'subset.glob': 'The pattern is not a simple one.',
  'character.look_alike':
    'Outside of quotes only plain ASCII is approved; other characters can look like it.',
  'parse.error': 'The word ends inside an escape or a quote.',
};

/** The value of a word made of plain text and of variables that the line has set to plain text. */
export function resolve(text: string, variables: Variables): string | null {
  const isQuoted = /^"[^"]*"$/.test(text);
  const plain = isQuoted ? text.slice(1, -1) : text;
  if (!isQuoted && variables.has('IFS')) return null;
  const given = isQuoted ? plain : plain.replace(/^~(?=\/)/, '$HOME');
  if (!/^([\w./:@%+=,-]|\$\w+|\$\{\w+\})+$/.test(given)) return null;
  let isKnown = true;
  const value = given.replace(/\$\{?(\w+)\}?/g, (_all, name: string) => {
    const known = variables.get(name) ?? null;
    isKnown &&= known !== null;
    return known ?? '';
  });
  return isKnown ? value : null;
}

/** Remembers an assignment. A second one of another value may or may not have run by the time of a use. */
export function assign(variables: Variables, name: string, text: string | null): void {
  const isTemporary = text !== null && /^"?(\$\(mktemp\b[^()`$]*\)|`mktemp\b[^()`$]*`)"?$/.test(text);
  const read = text === null ? null : unquote(text);
  const isPlain = read?.kind === 'literal' && read.trouble === null && /^[\w./:@%+=,-]*$/.test(read.value);
  const value = isTemporary ? '/tmp/made' : isPlain ? read.value : null;
  variables.set(name, variables.has(name) && variables.get(name) !== value ? null : value);
}

export interface Unquoted {
  readonly kind: ArgKind;
  readonly value: string;
  readonly trouble: RuleId | null;
  readonly pattern: string;
}

/** The value of a word's text, or the first thing in it that has no value before it runs. */
export function unquote(text: string): Unquoted {
  // The program of that name; as a pattern it is unfinished and stands for itself.
  if (text === '[') return { kind: 'literal', value: text, trouble: null, pattern: text };
  const trouble = (rule: RuleId): Unquoted => ({
    kind: 'unknown',
    value: text,
    trouble: rule,
    pattern: text,
  });
  let value = '';
  let pattern = '';
  let kind: ArgKind = 'literal';
  let brace = false;
  for (let i = 0; i < text.length;) {
    const char = text[i] as string;
    const quoted = quotedAt(text, i);
    if (typeof quoted === 'string') return trouble(quoted);
    if (quoted !== null) {
      value += quoted.value;
      pattern += quoted.value.replace(/[*?[\]\\]/g, '\\$&');
      i = quoted.next;
      continue;
    }
    if (char === '{') brace = true;
    if (brace && (char === ',' || (char === '.' && text[i + 1] === '.'))) return trouble('subset.expansion');
    if (char === '*' || char === '?' || char === '[') kind = 'glob';
    const rule = plainTrouble(text, i, char);
    if (rule !== null) return trouble(rule);
    value += char;
    pattern += char;
    i += 1;
  }
  return { kind, value, trouble: null, pattern };
}

interface Piece {
  readonly value: string;
  readonly next: number;
}

/** An escape, or a piece in quotes; null: neither begins here. */
function quotedAt(text: string, at: number): Piece | RuleId | null {
  const char = text[at];
  if (char === '\\') {
    if (at + 1 >= text.length) return 'parse.error';
    return { value: text[at + 1] === '\n' ? '' : (text[at + 1] ?? ''), next: at + 2 };
  }
  if (char === '"') return doubleQuoted(text, at + 1);
  if (char !== "'") return null;
  const close = text.indexOf("'", at + 1);
  return close < 0 ? 'parse.error' : { value: text.slice(at + 1, close), next: close + 1 };
}

function plainTrouble(text: string, at: number, char: string): RuleId | null {
  if (char === '$' || char === '`') return 'subset.expansion';
  if (char === '(' && text[at + 1] !== '(') return 'subset.glob';
  if (/[()<>]/.test(char)) return 'subset.expansion';
  if (char === '~' && (at === 0 || text[at - 1] === '=' || text[at - 1] === ':')) return 'subset.expansion';
  if (char === '!' && text.length > 1 && !(text === '!=' || text[at - 1] === '[')) return 'subset.expansion';
  return char > '~' || char < '!' ? 'character.look_alike' : null;
}

function doubleQuoted(text: string, from: number): Piece | RuleId {
  let value = '';
  for (let i = from; i < text.length;) {
    const char = text[i] as string;
    const next = text[i + 1];
    if (char === '"') return { value, next: i + 1 };
    // A dollar before a blank, or before the quote that ends, is itself.
    if (char === '`' || (char === '$' && next !== undefined && !/["\s.,;:|)/\\%=]/.test(next)))
      return 'subset.expansion';
    if (char === '\\' && next !== undefined) {
      if (next !== '\n') value += '$`"\\'.includes(next) ? next : `\\${next}`;
      i += 2;
      continue;
    }
    value += char;
    i += 1;
  }
  return 'parse.error';
}
