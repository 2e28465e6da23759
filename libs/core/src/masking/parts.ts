/**
 * Parts of values next to a cut. A cut may go through the spelling of a character, and what is left of the spelling may say the
 * character all the same, or others beside it: of the quote in `it'\''s`, two of the four signs are quotes.
 */
import type { Form } from './forms.js';

/** So many characters of a value are a part of it that may not be seen. */
export const PART = 4;

/** What may be left of a form's text behind a cut, by its beginning. `from`, `step`: the characters in it. */
export interface Remainder {
  readonly from: number;
  readonly step: number;
  /** The rest of the spelling of the last of these. */
  readonly text: string;
}

/** Where a form's text may go on behind a cut with a character: anywhere inside it. */
export function remaindersOf({ steps }: Form, character: string): Remainder[] {
  const remainders: Remainder[] = [];
  for (let step = 1; step <= steps.length; step += 1)
    for (const { text, isWhole } of endingsOf(steps[step - 1] ?? []).get(character) ?? []) {
      if (isWhole && step === 1) continue; // The whole value.
      const from = step - Math.max(1, readBackwards(steps, step, text));
      if (steps.length - from >= PART) remainders.push({ from, step, text });
    }
  return remainders;
}

/**
 * How much of a value can be read before a cut, in characters: from the step `from` to before `step`, where `rest` of the last
 * one's spelling is cut off.
 */
export function readableBefore({ steps }: Form, from: number, step: number, rest: string): number {
  const last = (steps[step - 1] ?? []).filter((spelling) => spelling.endsWith(rest));
  const read = last.map((spelling) =>
    readForwards(steps, step - 1, spelling.slice(0, spelling.length - rest.length)),
  );
  return step - 1 - from + Math.max(1, ...read);
}

/** How many characters of a value, up to a step, can be read at the end of a text. */
function readBackwards(steps: Form['steps'], step: number, text: string): number {
  const fitting = (steps[step - 1] ?? []).filter((spelling) => text.endsWith(spelling));
  return Math.max(
    0,
    ...fitting.map((spelling) => 1 + readBackwards(steps, step - 1, text.slice(0, -spelling.length))),
  );
}

/** How many characters of a value, from a step on, can be read at the start of a text. */
function readForwards(steps: Form['steps'], step: number, text: string): number {
  const fitting = (steps[step] ?? []).filter((spelling) => text.startsWith(spelling));
  return Math.max(
    0,
    ...fitting.map((spelling) => 1 + readForwards(steps, step + 1, text.slice(spelling.length))),
  );
}

/** What may be left of a spelling, its beginning cut off or not. */
interface Ending {
  readonly text: string;
  readonly isWhole: boolean;
}

const knownEndings = new WeakMap<readonly string[], ReadonlyMap<string, readonly Ending[]>>();

/** The endings of a character's spellings, by their first character. */
function endingsOf(spellings: readonly string[]): ReadonlyMap<string, readonly Ending[]> {
  const known = knownEndings.get(spellings);
  if (known) return known;
  const all = new Map<string, Ending[]>();
  for (const spelling of spellings)
    for (let at = 0; at < spelling.length; at += 1) {
      const first = spelling.charAt(at);
      all.set(first, [...(all.get(first) ?? []), { text: spelling.slice(at), isWhole: at === 0 }]);
    }
  knownEndings.set(spellings, all);
  return all;
}
