/**
 * What a word of the line means, read from its text with our own eyes. The parser's value must agree: where two readers of
 * the same text differ, bash may be a third.
 */
import type { Word } from 'unbash';
import { finding, type Finding, type RuleId } from './rules.js';
import type { Span } from './types.js';

/**
 * `literal`: known now. `glob`: file names that only the shell knows. `variable`: a harmless value that the line does not
 * show (`$?`, `$PWD`). `unknown`: anything else; `trouble` says what.
 */
export type ArgKind = 'literal' | 'glob' | 'variable' | 'unknown';

export interface Arg {
  readonly kind: ArgKind;
  /** For anything but a literal only a hint. */
  readonly value: string;
  readonly span: Span;
  /** Whether quotes or escapes took part. */
  readonly quoted: boolean;
  readonly trouble: Finding | null;
  /** For a glob: its text, with a backslash before what stands for itself. */
  readonly pattern?: string;
  /** Whether the word stands for any number of words: a glob, an unquoted variable, what find puts in place of `{} +`. */
  readonly isOpen?: boolean;
  /** Whether the shell made it of a pattern. */
  readonly isExpanded?: boolean;
  /** The files that the word stands for, when a search finds them. */
  readonly found?: FoundFiles;
}

/** Files that a search finds when the line runs. */
export interface FoundFiles {
  /** What speaks against reading them; `isDeep`: with everything below those that are folders. */
  readonly judgeRead: (isDeep: boolean) => Finding | null;
  /** Whether a command is started also when nothing is found. */
  readonly mayBeNone: boolean;
  /** Their paths as they are now; null when they cannot be known. */
  readonly paths: () => readonly string[] | null;
}

/** Variables that hold no secret and that nobody reads as more than text. */
const HARMLESS_VARIABLES = new Set([
  ...['?', '#', '$', 'HOME', 'PWD', 'OLDPWD', 'PATH', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TERM', 'HOSTNAME'],
  ...['OSTYPE', 'SECONDS', 'LINENO', 'NODE_ENV', 'CI', 'BASH_VERSION', 'UID', 'EUID', 'PIPESTATUS'],
]);

/** Reads a word at a place of the line. */
export function readWord(word: Word, span: Span): Arg {
  const read = unquote(word.text);
  const arg = {
    kind: read.kind,
    value: read.value,
    span,
    quoted: word.text !== read.value,
    isOpen: read.isOpen,
    ...(read.kind === 'glob' && { pattern: read.pattern }),
  };
  if (read.trouble !== null) {
    const value = read.kind === 'unknown' ? word.value : read.value;
    return {
      ...arg,
      value,
      kind: 'unknown',
      trouble: finding(read.trouble, MESSAGES[read.trouble] ?? '', span),
    };
  }
  if (read.kind !== 'variable' && read.value !== word.value) {
    return {
      ...arg,
      kind: 'unknown',
      trouble: finding('parse.disagreement', 'The word can be read in two ways.', span),
    };
  }
  return { ...arg, trouble: null };
}

const MESSAGES: Partial<Record<RuleId, string>> = {
  'subset.expansion': 'The word holds an expansion, so its value is not known.',
  'subset.substitution': 'The word holds the output of another command.',
  'subset.ansi_quote': 'A word in $\'…\' or $"…" hides its text.',
  'subset.brace': 'A brace expansion makes several words out of one.',
  'subset.glob': 'The pattern is not a simple one.',
  'subset.tilde': 'A tilde leads to a home folder, outside of the workspace.',
  'subset.history': 'An exclamation mark could call back an earlier command.',
  'character.look_alike':
    'Outside of quotes only plain ASCII is approved; other characters can look like it.',
  'parse.error': 'The word ends inside an escape or a quote.',
};

export interface Unquoted {
  readonly kind: ArgKind;
  readonly value: string;
  readonly trouble: RuleId | null;
  readonly pattern: string;
  readonly isOpen: boolean;
}

/** Variables that are one number. */
const NUMBERS = /^\$\{?([?#$]|E?UID|SECONDS|LINENO)\}?$/;

/** The value of a word's text, or the first thing in it that has no value before it runs. */
export function unquote(text: string): Unquoted {
  // The program of that name; as a pattern it is unfinished and stands for itself.
  if (text === '[') return { kind: 'literal', value: text, trouble: null, pattern: text, isOpen: false };
  let value = '';
  let pattern = '';
  let splits = false;
  let kind: ArgKind = 'literal';
  let brace = false;
  const trouble = (rule: RuleId): Unquoted => ({
    kind: 'unknown',
    value: text,
    trouble: rule,
    pattern: text,
    isOpen: true,
  });
  for (let i = 0; i < text.length;) {
    const char = text[i] as string;
    if (char === '\\') {
      if (i + 1 >= text.length) return trouble('parse.error');
      if (text[i + 1] !== '\n') {
        value += text[i + 1];
        pattern += escaped(text[i + 1] as string);
      }
      i += 2;
      continue;
    }
    if (char === "'") {
      const close = text.indexOf("'", i + 1);
      if (close < 0) return trouble('parse.error');
      value += text.slice(i + 1, close);
      pattern += escaped(text.slice(i + 1, close));
      i = close + 1;
      continue;
    }
    if (char === '"') {
      const inner = doubleQuoted(text, i + 1);
      if (typeof inner === 'string') return trouble(inner as RuleId);
      value += inner.value;
      pattern += escaped(inner.value);
      if (inner.variable) {
        splits ||= kind === 'glob';
        kind = 'variable';
      }
      i = inner.next;
      continue;
    }
    if (char === '$') {
      const variable = dollar(text, i);
      if (typeof variable === 'string') return trouble(variable as RuleId);
      splits ||= kind === 'glob' || !NUMBERS.test(text.slice(i, variable.next));
      kind = 'variable';
      i = variable.next;
      continue;
    }
    if (char === '{') brace = true;
    if (brace && (char === ',' || (char === '.' && text[i + 1] === '.'))) return trouble('subset.brace');
    if (char === '*' || char === '?' || char === '[') {
      if (kind === 'variable') splits = true;
      else kind = 'glob';
    }
    const rule = plainTrouble(text, i, char);
    if (rule !== null) return trouble(rule);
    value += char;
    pattern += char;
    i += 1;
  }
  return { kind, value, trouble: null, pattern, isOpen: kind === 'glob' || splits };
}

/** Text that stands for itself in a pattern. */
function escaped(text: string): string {
  return text.replace(/[*?[\]\\]/g, '\\$&');
}

function plainTrouble(text: string, at: number, char: string): RuleId | null {
  if (char === '`') return 'subset.substitution';
  if (char === '(' || char === ')' || char === '<' || char === '>') {
    return text[at + 1] === '(' || char !== '(' ? 'subset.substitution' : 'subset.glob';
  }
  if (char === '~' && (at === 0 || text[at - 1] === '=' || text[at - 1] === ':')) return 'subset.tilde';
  if (char === '!' && text.length > 1 && !(text === '!=' || text[at - 1] === '[')) return 'subset.history';
  if (char > '~' || char < '!') return 'character.look_alike';
  return null;
}

function doubleQuoted(
  text: string,
  from: number,
): { value: string; next: number; variable: boolean } | RuleId {
  let value = '';
  let variable = false;
  for (let i = from; i < text.length;) {
    const char = text[i] as string;
    if (char === '"') return { value, next: i + 1, variable };
    if (char === '`') return 'subset.substitution';
    if (char === '\\' && i + 1 < text.length) {
      const next = text[i + 1] as string;
      if (next !== '\n') value += '$`"\\'.includes(next) ? next : `\\${next}`;
      i += 2;
      continue;
    }
    if (char === '$') {
      const read = dollar(text, i, true);
      if (typeof read === 'string') return read;
      if (read.literal) value += '$';
      else variable = true;
      i = read.next;
      continue;
    }
    value += char;
    i += 1;
  }
  return 'parse.error';
}

const NAME = /\$(?:([A-Za-z_]\w*|[?#$])|\{([A-Za-z_]\w*|[?#$])\})/y;

/** What a dollar begins: a harmless variable, itself (before a blank, or a quote that ends), or a rule's trouble. */
function dollar(text: string, at: number, inQuotes = false): { next: number; literal: boolean } | RuleId {
  const next = text[at + 1];
  if (inQuotes && (next === undefined || next === '"' || /[\s.,;:|)/\\%=]/.test(next))) {
    return { next: at + 1, literal: true };
  }
  if (!inQuotes && (next === "'" || next === '"')) return 'subset.ansi_quote';
  if (next === '(' || next === '[') return 'subset.substitution';
  NAME.lastIndex = at;
  const match = NAME.exec(text);
  const name = match?.[1] ?? match?.[2];
  if (match === null || name === undefined || !HARMLESS_VARIABLES.has(name)) return 'subset.expansion';
  return { next: at + match[0].length, literal: false };
}
