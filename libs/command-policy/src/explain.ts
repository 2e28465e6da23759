/** A verdict as one line for people. */
import type { CommandVerdict } from './types.js';

const WORDS = { approve: 'Runs without asking', ask: 'Needs approval', deny: 'Refused' } as const;

/** What an explanation needs of a verdict, or of one of its parts. */
type Explained = Pick<CommandVerdict, 'decision' | 'message' | 'rule' | 'span'> & {
  readonly parts: readonly unknown[];
};

/** One line without control characters: what happens, why, where in the line, and by which rule. */
export function explainVerdict(verdict: Explained): string {
  const { decision, message, span, rule } = verdict;
  const isWhole =
    span === null || verdict.parts.length === 0 || span.text === '' || message.includes(span.text);
  const place = isWhole ? '' : ` At \`${shorten(span.text)}\`.`;
  return printable(`${WORDS[decision]}: ${message}${place} [${rule}]`);
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** What a terminal could obey, or an eye miss, is shown as its code. */
function printable(text: string): string {
  return text.replace(/[\p{C}\p{Z}]/gu, (char) =>
    char === ' ' ? ' ' : `<U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}
