/** Asking a person at the terminal. Every prompt of the product is one of these two, and can be taken away from outside by its signal. */
import type { Terminal } from '../io.js';
import type { Outcome, Prompt, Words } from './prompt/prompt.js';
import { showPrompt, type Screen } from './prompt/show-prompt.js';

export type { Choice, Prompt } from './prompt/prompt.js';

/** The prompt was left with Ctrl-C. */
export class PromptInterrupted extends Error {
  override readonly name = 'PromptInterrupted';
}

/** The prompt was taken away: its signal says why. */
export class PromptWithdrawn extends Error {
  override readonly name = 'PromptWithdrawn';
}

export type Given<T extends string> =
  | { readonly choice: T; readonly marked: readonly string[] }
  | { readonly choice: null; readonly words: string; readonly marked: readonly string[] };

/** Both give null for Escape, and throw `PromptInterrupted` or `PromptWithdrawn`. */
export interface Prompts {
  /** A choice, or words where they mean something. */
  choose<T extends string>(prompt: Prompt<T>, signal: AbortSignal): Promise<Given<T> | null>;
  /** A text that is not empty. */
  write(
    message: string,
    words: Words & { readonly initial?: string },
    signal: AbortSignal,
  ): Promise<string | null>;
}

/** Questions one at a time at the foot of the terminal; the rest of the output scrolls above. */
export function terminalPrompts(screen: Screen, terminal: Terminal): Prompts {
  const show = async (
    prompt: Prompt,
    signal: AbortSignal,
  ): Promise<Extract<Outcome, { kind: 'choice' | 'words' }> | null> => {
    const outcome = await showPrompt(screen, terminal, prompt, signal);
    if (outcome === null) throw new PromptWithdrawn();
    if (outcome.kind === 'interrupted') throw new PromptInterrupted();
    return outcome.kind === 'left' ? null : outcome;
  };
  return {
    choose: async <T extends string>(prompt: Prompt<T>, signal: AbortSignal): Promise<Given<T> | null> => {
      const given = await show(prompt, signal);
      if (given === null) return null;
      const { marked } = given;
      if (given.kind === 'words') return { choice: null, words: given.text, marked };
      return { choice: given.value as T, marked };
    },
    write: async (message, { initial = '', ...words }, signal) => {
      const given = await show({ message, choices: [], words, initial }, signal);
      return given?.kind === 'words' ? given.text : null;
    },
  };
}
