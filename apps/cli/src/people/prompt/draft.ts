/** A text that is being typed, with the place of the cursor in it. Pure. */
import type { EditKey } from './keys.js';

export interface Draft {
  readonly before: string;
  readonly after: string;
}

export const EMPTY: Draft = { before: '', after: '' };

const segmenter = new Intl.Segmenter();

/** The words so far, whatever the place of the cursor. */
export function textOf({ before, after }: Draft): string {
  return before + after;
}

/** Text typed at the cursor, which moves behind it. */
export function insert({ before, after }: Draft, text: string): Draft {
  return { before: before + text, after };
}

/** The draft after a key that moves or deletes, by whole characters as people see them. */
export function edit(draft: Draft, key: EditKey): Draft {
  const { before, after } = draft;
  const last = lastLetter(before);
  const first = segmenter.segment(after)[Symbol.iterator]().next().value?.segment ?? '';
  switch (key) {
    case 'left':
      return { before: cut(before, last), after: last + after };
    case 'right':
      return { before: before + first, after: after.slice(first.length) };
    case 'home':
      return { before: '', after: textOf(draft) };
    case 'end':
      return { before: textOf(draft), after: '' };
    case 'backspace':
      return { before: cut(before, last), after };
    case 'delete':
      return { before, after: after.slice(first.length) };
    case 'eraseLine':
      return { before: '', after };
    case 'eraseWord':
      return { before: before.replace(/\S*\s*$/, ''), after };
  }
}

/** A letter is what a reader takes for one: it may be several characters. */
function lastLetter(text: string): string {
  return segmenter.segment(text).containing(text.length - 1)?.segment ?? '';
}

function cut(text: string, end: string): string {
  return text.slice(0, text.length - end.length);
}
