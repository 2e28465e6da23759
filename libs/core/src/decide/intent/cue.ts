/** Words that speak for a mode: one table for all who ask, in a file for each language. */

/**
 * - `act`: names the work itself (`review`, `커밋`);
 * - `topic`: names a thing of that work (`tests`, `문서`), which counts little where nothing is to be done with it;
 * - `sign`: a symptom, which is also one where it is denied (`does not work`);
 * - `question`: how people ask for an answer.
 */
export type CueKind = 'act' | 'topic' | 'sign' | 'question';

export interface Cue {
  readonly mode: string;
  readonly kind: CueKind;
  readonly weight: number;
  readonly pattern: RegExp;
  /** Keeps its weight in a question: people ask for this work that way. */
  readonly isAsked: boolean;
  /** Goes with any work (`change`, `바꿔`): it chooses where nothing says more, and is never sure. */
  readonly isVague: boolean;
}

/** The weight of a kind in a mode; with `?` behind it, it is kept in questions. */
export type Weight = number | `${number}?`;

/** A cue of the alternatives on its lines, each a regular expression. */
export type DefineCue = (mode: string, kind: CueKind, weight: Weight, words: string) => Cue;

/** A cue that fits, and says little. */
export const vague = (cue: Cue): Cue => ({ ...cue, isVague: true });

/** English words have borders, which Hangul is as well: `auth.ts를refactor해줘`. */
export const english: DefineCue = (...cue) =>
  define(...cue, (words) => `(?<![a-z0-9_])(?:${words})(?![a-z0-9_])`);

/** Korean words take endings, and stand together with others. */
export const korean: DefineCue = (...cue) => define(...cue, (words) => words);

function define(
  mode: string,
  kind: CueKind,
  weight: Weight,
  words: string,
  bordered: (words: string) => string,
): Cue {
  const alternatives = words.split('\n').map((line) => line.trim());
  const pattern = bordered(alternatives.filter((line) => line !== '').join('|'));
  return {
    mode,
    kind,
    weight: Number.parseFloat(String(weight)),
    pattern: new RegExp(pattern, 'u'),
    isAsked: typeof weight === 'string',
    isVague: false,
  };
}
