/** What somebody writes, and the mode that a careful reader would choose for it. */
export interface LabelledPrompt {
  readonly text: string;
  /** All that would be right; the first is the best. */
  readonly modes: readonly string[];
  /** No single mode is right, so the suggestion must not be sure. */
  readonly unsure?: true;
}

/** Prompts that ask for the same, with modes as `best|also right`. */
export function asking(modes: string, texts: readonly string[]): readonly LabelledPrompt[] {
  return texts.map((text) => ({ text, modes: modes.split('|') }));
}
