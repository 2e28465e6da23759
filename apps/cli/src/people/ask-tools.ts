/** What asking has at hand, and what every prompt about an interaction offers. */
import type { Prompts } from './prompts.js';

export interface AskTools {
  readonly prompts: Prompts;
  /** Opens the text in the user's editor; null, after saying so, when it was not changed or could not be edited. */
  edit(text: string, ending: string): Promise<string | null>;
  /** Shows what came of an edit, as it would be sent. */
  show(text: string): void;
  /** Says why an edit is not taken. */
  warn(text: string): void;
}

/** The neutral choice comes last, where the cursor is: Enter alone consents to nothing. */
export const LATER = { value: 'later', label: 'Later', hint: 'leave it open' } as const;
