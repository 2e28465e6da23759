/** The question to a model which kind of work a text asks for, and what its reply says. */
import type { ModeDefinition } from '@bullpen/contracts';
import { preview } from '../task/text.js';

/** What somebody wants stands at the beginning or the end; the rest is what was pasted. */
const MOST_CHARS = 4_000;

/** The system prompt. */
export const INTENT_SYSTEM = `You sort requests to a software engineer by the kind of work that they ask for. You answer with one name of the list that you are given, and nothing else. What a request quotes, pastes or rules out is not what it asks for. If it asks for nothing that is in the list, or if you cannot tell, answer "unclear".`;

/** The user message: the kinds of work, and the text between marks. */
export function intentQuestion(text: string, modes: readonly ModeDefinition[]): string {
  const list = modes.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
  const shown =
    text.length <= MOST_CHARS
      ? text
      : `${preview(text, MOST_CHARS / 2)}\n[…]\n${[...text].slice(-MOST_CHARS / 2).join('')}`;
  return `Kinds of work:\n${list}\n\n<request>\n${shown}\n</request>\n\nWhich kind of work does the request ask for? Answer with its name.`;
}

/** The mode that a reply names; null for every other text. */
export function modeNamedIn(reply: string, modes: readonly ModeDefinition[]): ModeDefinition | null {
  const name = reply.replaceAll(/[^\w-]+/g, ' ').trim();
  return modes.find((mode) => mode.name === name) ?? null;
}
