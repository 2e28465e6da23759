/**
 * How many tokens a text probably is, by what it is written in. A flat rate by characters is wrong by a factor of four between English and
 * Korean. The rates were fitted to a tokenizer that the provider has published; the spec says how far off they may be.
 */

interface Kind {
  readonly pattern: string;
  /** Tokens of a run, by its length in UTF-16 units. */
  readonly tokens: (length: number, run: string) => number;
}

/** Kinds of runs, in the order in which they are tried. Each character belongs to exactly one run, so it takes linear time. */
const KINDS: readonly Kind[] = [
  { pattern: String.raw`[A-Z]?[a-z]+|[A-Z]+`, tokens: ofWord },
  // A single blank is part of the word behind it.
  { pattern: String.raw`[^\S\n]+`, tokens: (length) => (length === 1 ? 0.05 : 1) },
  { pattern: String.raw`\d+`, tokens: (length) => Math.max(1, length / 2.2) },
  { pattern: '[!-/:-@[-`{-~]+', tokens: ofMarks },
  { pattern: String.raw`\n\s*`, tokens: () => 1 },
  { pattern: String.raw`\p{Script=Hangul}+`, tokens: (length) => length * 1.35 },
  { pattern: String.raw`\p{Script=Han}+`, tokens: (length) => length * 0.85 },
  { pattern: String.raw`[\p{Script=Hiragana}\p{Script=Katakana}ー]+`, tokens: (length) => length * 0.95 },
  // It also breaks the word that it stands in.
  { pattern: String.raw`(?=\p{Script=Latin})\p{L}`, tokens: () => 1.5 },
  { pattern: String.raw`[\p{Script=Cyrillic}\p{Script=Greek}]+`, tokens: (length) => length * 0.58 },
  { pattern: String.raw`[\p{L}\p{M}]+`, tokens: (length) => length * 1.1 },
  { pattern: String.raw`[^]`, tokens: (length, run) => (length > 1 || run > '\u2100' ? 2.2 : 1) },
];
const RUNS = new RegExp(KINDS.map(({ pattern }) => `(${pattern})`).join('|'), 'gu');

/** No text has more tokens for each UTF-16 unit: for whoever only has to know whether it may be too long. */
export const MOST_TOKENS_PER_UNIT = 2.3;

/** Tokens of a text. Zero for ''. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const match of text.matchAll(RUNS)) {
    const [run] = match;
    const kind = KINDS.find((_, n) => match[n + 1] !== undefined);
    tokens += kind?.tokens(run.length, run) ?? 0;
  }
  return Math.ceil(tokens);
}

function ofWord(length: number): number {
  if (length <= 2) return 0.85;
  return length <= 7 ? 0.96 : length / 6.2 + 0.1;
}

function ofMarks(length: number, run: string): number {
  if (length === 1) return 0.85;
  return isRepeated(run) ? 1 + length / 16 : Math.max(1, length * 0.62);
}

function isRepeated(run: string): boolean {
  return run === run.charAt(0).repeat(run.length);
}
