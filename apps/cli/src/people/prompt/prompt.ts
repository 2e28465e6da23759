/**
 * One prompt as a state that keys change. Pure: time comes in as `pause`, called when nothing was pressed for a moment.
 *
 * A sentence, typed or pasted, can do nothing here but become a draft:
 * - only the arrow keys move the cursor, which stands on the neutral choice and goes back there with the first letter;
 * - Enter counts when the keyboard falls silent after it, and takes the choice under the cursor only when nothing is drafted. What comes
 *   in one burst with text, as pasted lines do, is part of the text;
 * - Enter on a draft shows what would be sent. To send it takes the way up over "Throw it away" and Enter once more, so that neither the
 *   arrow key by which shells bring a line back nor anything that is typed there sends it.
 */
import { EMPTY, edit, insert, textOf, type Draft } from './draft.js';
import type { EditKey, Key } from './keys.js';

export interface Choice<T extends string = string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
  /** Enter marks it, or takes the mark away. */
  readonly markable?: boolean;
  /** Why it cannot be taken without a mark. */
  readonly needsMark?: string;
}

/** What becomes of text that is typed. */
export interface Words {
  /** What sending it means, as a choice. */
  readonly send: string;
  /** Why it cannot be sent, if so. */
  check?(text: string): string | undefined;
}

export interface Prompt<T extends string = string> {
  readonly message: string;
  /** The last one is neutral. Without any, there is only text to write. */
  readonly choices: readonly Choice<T>[];
  /** Null: text means nothing here. */
  readonly words: Words | null;
  readonly initial?: string;
}

export type Outcome =
  | { readonly kind: 'choice'; readonly value: string; readonly marked: readonly string[] }
  | { readonly kind: 'words'; readonly text: string; readonly marked: readonly string[] }
  /** Escape. */
  | { readonly kind: 'left' }
  /** Ctrl-C. */
  | { readonly kind: 'interrupted' };

export interface PromptState {
  readonly prompt: Prompt;
  readonly view: 'choosing' | 'writing' | 'reviewing';
  /** The choice under the cursor: of the prompt, or of the review. */
  readonly at: number;
  readonly marked: readonly string[];
  readonly draft: Draft;
  /** Since the last pause: whether text came, and how many Enters after the last of it. */
  readonly burst: { readonly text: boolean; readonly enters: number };
  /** Why something was not taken. */
  readonly notice: string | null;
  readonly outcome: Outcome | null;
}

const SILENT = { text: false, enters: 0 } as const;

/** Before the first key: the last choice is marked, as it is the one that does no harm. */
export function openPrompt(prompt: Prompt): PromptState {
  return {
    prompt,
    view: prompt.choices.length > 0 ? 'choosing' : 'writing',
    at: prompt.choices.length - 1,
    marked: [],
    draft: insert(EMPTY, prompt.initial ?? ''),
    burst: SILENT,
    notice: null,
    outcome: null,
  };
}

/** What can be chosen now. In a review the last one is neutral, too. */
export function choicesOf({ prompt, view }: PromptState): readonly Choice[] {
  if (view === 'choosing') return prompt.choices;
  if (view === 'writing' || prompt.words === null) return [];
  return [
    { value: 'send', label: prompt.words.send },
    { value: 'drop', label: 'Throw it away' },
    { value: 'write', label: 'Keep writing' },
  ];
}

/** Pure: the prompt after a key. One that has its outcome stays as it is. */
export function press(state: PromptState, key: Key): PromptState {
  if (state.outcome !== null) return state;
  const inSentence = state.burst.text || state.burst.enters > 0;
  switch (key.name) {
    case 'text':
      return typed(state, key.text);
    case 'enter':
      return { ...state, burst: { ...state.burst, enters: state.burst.enters + 1 } };
    case 'interrupt':
      return { ...state, outcome: { kind: 'interrupted' } };
    case 'escape':
      return inSentence ? state : back(state);
    case 'up':
      return inSentence ? state : moved(state, -1);
    case 'down':
      return inSentence ? state : moved(state, 1);
    default:
      return edited(state, key.name);
  }
}

/** Nothing was pressed for a moment: now an Enter counts, once. */
export function pause(state: PromptState): PromptState {
  const calm = { ...state, burst: SILENT };
  if (state.outcome !== null || state.burst.enters === 0) return calm;
  if (state.view === 'choosing') return chosen(calm);
  return state.view === 'writing' ? written(calm) : reviewed(calm);
}

function typed(state: PromptState, text: string): PromptState {
  const { view, burst, draft } = state;
  // A line that ended in a review, or in the middle of a burst, goes on in the next one.
  const lines = view === 'choosing' ? 0 : burst.enters + (view === 'reviewing' ? 1 : 0);
  const place = view === 'reviewing' ? edit(draft, 'end') : draft;
  return {
    ...state,
    view: 'writing',
    draft: insert(place, '\n'.repeat(lines) + text),
    burst: { text: true, enters: 0 },
    notice: null,
  };
}

/** Around the ends of a menu, but not of a review. */
function moved(state: PromptState, by: number): PromptState {
  const count = choicesOf(state).length;
  if (count === 0) return state;
  const to = state.at + by;
  const at = state.view === 'choosing' ? (to + count) % count : Math.min(Math.max(to, 0), count - 1);
  return { ...state, at, notice: null };
}

function edited(state: PromptState, key: EditKey): PromptState {
  if (state.view !== 'writing' || state.burst.enters > 0) return state;
  return { ...state, draft: edit(state.draft, key), notice: null };
}

function back(state: PromptState): PromptState {
  if (state.view === 'reviewing') return { ...state, view: 'writing' };
  const { choices } = state.prompt;
  return state.view === 'writing' && choices.length > 0
    ? toChoices(state)
    : { ...state, outcome: { kind: 'left' } };
}

/** The draft is gone, and the cursor is on the neutral choice. */
function toChoices(state: PromptState): PromptState {
  const at = state.prompt.choices.length - 1;
  return { ...state, view: 'choosing', at, draft: EMPTY, notice: null };
}

function chosen(state: PromptState): PromptState {
  const { prompt, at, marked } = state;
  const choice = prompt.choices[at];
  if (choice === undefined) return state;
  const { value, markable = false, needsMark } = choice;
  if (markable) {
    const without = marked.filter((each) => each !== value);
    return { ...state, marked: without.length < marked.length ? without : [...marked, value] };
  }
  if (needsMark !== undefined && marked.length === 0) return { ...state, notice: needsMark };
  return { ...state, outcome: { kind: 'choice', value, marked } };
}

function written(state: PromptState): PromptState {
  const { words, choices } = state.prompt;
  const text = textOf(state.draft).trim();
  if (text === '')
    return choices.length > 0
      ? toChoices(state)
      : { ...state, notice: 'Type something, or press Escape to go back.' };
  // It goes nowhere, and only Escape goes back: what comes after the end of a line is still no choice.
  if (words === null) return state;
  const wrong = words.check?.(text);
  if (wrong !== undefined) return { ...state, notice: wrong };
  const reviewing = { ...state, view: 'reviewing', notice: null } as const;
  return { ...reviewing, at: choicesOf(reviewing).length - 1 };
}

function reviewed(state: PromptState): PromptState {
  const { draft, marked, prompt, at } = state;
  switch (choicesOf(state)[at]?.value) {
    case 'send':
      return { ...state, outcome: { kind: 'words', text: textOf(draft).trim(), marked } };
    case 'drop':
      return prompt.choices.length > 0 ? toChoices(state) : { ...state, outcome: { kind: 'left' } };
    default:
      return { ...state, view: 'writing' };
  }
}
