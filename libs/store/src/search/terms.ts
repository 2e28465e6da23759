/**
 * What text is found by. Postgres' own configurations split at spaces, which leaves a Korean noun glued to its particle, and trigrams find no word of two
 * syllables. So runs of Hangul, Han and Kana are taken in pairs of characters, other words whole, to be looked for by their beginning. Everything is compared
 * composed (NFC) and in lower case; what is stored stays as it was written (docs/adr/0020).
 */

/** A text in the form in which it is compared, and where each of its UTF-16 units came from. */
interface Folded {
  readonly text: string;
  /** For each unit, where what it was made from begins and ends in the original. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** A syllable that macOS writes in two or three letters, or a character with its marks: what composes into one. */
const COMPOSED =
  /[\u1100-\u115f\ua960-\ua97c][\u1160-\u11a7\ud7b0-\ud7c6]*[\u11a8-\u11ff\ud7cb-\ud7fb]*|[^\p{M}]\p{M}*|\p{M}+/gsu;
const WORD = /[\p{L}\p{N}_]+/gu;
/** Scripts whose words are not set apart by spaces, or are followed by particles. */
const RUN =
  /[\p{sc=Hangul}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+|[^\p{sc=Hangul}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+/gu;
const PAIRED = /^[\p{sc=Hangul}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;

/** Postgres takes no longer lexeme than 2 KB; no word that people look for has so many letters. */
const LONGEST_WORD = 60;
/** Of a text that is longer the rest is not looked at: an index entry has to stay below a megabyte. */
const LONGEST_TEXT = 100_000;

/** The lexemes of a text, each once. */
export function lexemesOf(text: string): string[] {
  const lexemes = new Set<string>();
  for (const run of runsOf(foldedText(text.slice(0, LONGEST_TEXT))))
    for (const lexeme of ofRun(run)) lexemes.add(lexeme);
  return [...lexemes];
}

/** A run of pairs also has its last character alone, so that each character begins a lexeme. */
function ofRun(run: string): string[] {
  if (!PAIRED.test(run)) return [run.slice(0, LONGEST_WORD)];
  const characters = [...run];
  return characters.map((character, at) => character + (characters[at + 1] ?? ''));
}

function runsOf(folded: string): string[] {
  return [...folded.matchAll(WORD)].flatMap(([word]) => [...word.matchAll(RUN)].map(([run]) => run));
}

/** What somebody looks for: words, all of which have to be there, as a tsquery; null when there is nothing to look for. */
export function tsqueryOf(words: string): string | null {
  const parts = runsOf(foldedText(words)).flatMap((run) => {
    const lexemes = ofRun(run);
    // The last character stands alone only where the run ends, which that of a text need not.
    const pairs = PAIRED.test(run) && lexemes.length > 1 ? lexemes.slice(0, -1) : lexemes;
    return pairs.map((lexeme) => quoted(lexeme, !PAIRED.test(run) || pairs.length === lexemes.length));
  });
  return parts.length === 0 ? null : [...new Set(parts)].join(' & ');
}

function quoted(lexeme: string, asBeginning: boolean): string {
  return `'${lexeme.replaceAll("'", "''")}'${asBeginning ? ':*' : ''}`;
}

export interface Mark {
  readonly start: number;
  readonly end: number;
}

/**
 * Where the words are in a text, as offsets into it as it is stored: in order, without overlap. Null unless all of them are there: what the index has found
 * is only a candidate.
 */
export function marksOf(text: string, words: string): Mark[] | null {
  const { text: folded, starts, ends } = fold(text);
  const marks: Mark[] = [];
  const terms = new Set(words.split(/\s+/u).flatMap((word) => foldedText(word).match(WORD) ?? []));
  if (terms.size === 0) return null;
  for (const term of terms) {
    const places = placesOf(folded, term);
    if (places.length === 0) return null;
    for (const at of places)
      marks.push({ start: starts[at] ?? 0, end: ends[at + term.length - 1] ?? text.length });
  }
  return merged(marks);
}

/** A word of letters is found by its beginning, one of syllables anywhere. */
function placesOf(folded: string, term: string): number[] {
  const places: number[] = [];
  for (let at = folded.indexOf(term); at !== -1; at = folded.indexOf(term, at + term.length))
    if (
      PAIRED.test(term) ||
      !/[\p{L}\p{N}_]$/u.test(folded.slice(0, at)) ||
      PAIRED.test(folded[at - 1] ?? '')
    )
      places.push(at);
  return places;
}

function merged(marks: readonly Mark[]): Mark[] {
  const result: Mark[] = [];
  for (const mark of [...marks].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last !== undefined && mark.start < last.end)
      result[result.length - 1] = { ...last, end: Math.max(last.end, mark.end) };
    else result.push(mark);
  }
  return result;
}

/** Most texts are plain ASCII, in which nothing is composed. */
function foldedText(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text.toLowerCase() : fold(text).text;
}

function fold(text: string): Folded {
  const starts: number[] = [];
  const ends: number[] = [];
  let folded = '';
  for (const { 0: piece, index } of text.matchAll(COMPOSED)) {
    const form = piece.normalize('NFC').toLowerCase();
    folded += form;
    for (let unit = 0; unit < form.length; unit += 1) {
      starts.push(index);
      ends.push(index + piece.length);
    }
  }
  return { text: folded, starts, ends };
}
