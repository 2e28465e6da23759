/**
 * How answers of the model end. Only a known good end counts as an end; anything else, or nothing at all, means that the answer was
 * cut.
 */
import type { ContentBlock } from '@bullpen/contracts';
import type { StoredMessage } from './task.js';

/** Requests of the harness after which an answer goes on: in a stored history they are known by their words. */
export const CONTINUE_REQUEST =
  'Your answer was cut off. Continue exactly where it stopped; do not repeat what you wrote.';
export const EMPTY_REQUEST = 'Your last answer was empty. Continue.';
export const CHANT_NOTICE =
  'Your last answer says the same sentence over and over. Stop that: say what is needed once, in other words, and go on with the task.';
export const CROWDED_NOTICE =
  'This conversation has had to be made shorter again and again within a few turns: what you read and write in a turn takes up most of your window. Read less at a time, search narrowly, keep what matters in short notes, and report what you have when the task cannot be done in such steps.';
export const STERN_CORRECTION =
  'Several of your calls failed in a row. Stop and reconsider: read the errors again, look at the real state of the files, write down what you have been assuming, and choose another approach. The task will fail if calls keep failing.';

/** The result of a call that a person refused without a word. */
export const REFUSED_BY_USER =
  'The user refused this call; it was not run. Do not try to get there another way; leave it until the user brings it up again.';

/** Texts that begin with this tag are rules of the project, which join when the agent comes to their folder. */
export const RULES_TAG = 'project-rules';
/** Begins what an agent is told about the date. */
export const DATE_NEWS = 'The date is now ';

/** Begins what an agent is told about the work mode that it is in. */
export const MODE_NEWS = 'Mode: ';

const OWN_WORDS: readonly string[] = [
  CONTINUE_REQUEST,
  EMPTY_REQUEST,
  CHANT_NOTICE,
  CROWDED_NOTICE,
  STERN_CORRECTION,
];

const OWN_BEGINNINGS: readonly string[] = [`<${RULES_TAG} `, DATE_NEWS, MODE_NEWS];

/** What is recorded for an answer whose stream said nothing about its end. */
export const NO_STOP_REASON = 'cut';

/** The provider stopped in the middle of work of its own. */
export const PAUSED = 'pause_turn';

/** This many cut answers in a row end the task, with what there is of them. */
export const MAX_CUTS = 4;

/** Whether an answer that ended like this is whole. If it is not, its calls never run and its text is not a result. */
export function isWholeEnd(stopReason: string | null, hasCalls: boolean): boolean {
  switch (stopReason) {
    case 'end_turn':
    case 'stop_sequence':
      return true;
    case 'tool_use':
      return hasCalls;
    default:
      // max_tokens, pause_turn, model_context_window_exceeded, a broken stream, and what providers come up with.
      return false;
  }
}

/** The same of an answer that is stored. */
export function isWhole({ stopReason, content }: Pick<StoredMessage, 'stopReason' | 'content'>): boolean {
  return isWholeEnd(stopReason, hasCalls(content));
}

/** Whether an answer goes on when it is sent back as it is: one that stopped within the provider's own tools. Any other would be taken for the start of the next answer, which is refused. */
export function isPaused(message: Pick<StoredMessage, 'stopReason' | 'content'> | undefined): boolean {
  return message?.stopReason === PAUSED && message.content.at(-1)?.type === 'provider';
}

/** How many of the newest answers in a row were cut. A message of the user starts a new count. */
export function cutsInARow(messages: readonly StoredMessage[]): number {
  let cuts = 0;
  for (const message of messages.toReversed()) {
    if (message.role === 'user' ? isFromUser(message) : isWhole(message)) break;
    if (message.role === 'assistant' && !isPaused(message)) cuts += 1;
  }
  return cuts;
}

/** Requests to say something, one after the other, with which the history ends. */
export function emptyAnswersInARow(messages: readonly StoredMessage[]): number {
  const last = messages.findLastIndex(
    ({ content: [block] }) => block?.type !== 'text' || block.text !== EMPTY_REQUEST,
  );
  return messages.length - 1 - last;
}

/** The whole last answer: parts that were cut apart are joined again. */
export function answerText(messages: readonly StoredMessage[]): string {
  let text = '';
  let isLast = true;
  for (const message of messages.toReversed()) {
    if (message.role === 'user') {
      if (isFromUser(message) || message.content.some(startsAnew)) break;
      continue;
    }
    if (!isLast && (isWhole(message) || hasCalls(message.content))) break;
    text = textOf(message) + text;
    isLast = false;
  }
  return text;
}

/** What comes after it does not continue what was said before. */
function startsAnew(block: ContentBlock): boolean {
  return block.type === 'tool_result' || (block.type === 'text' && block.text === CHANT_NOTICE);
}

/** The text blocks of a message. */
export function textOf(message: Pick<StoredMessage, 'content'>): string {
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function hasCalls(content: readonly ContentBlock[]): boolean {
  return content.some(({ type }) => type === 'tool_use');
}

/** False for messages in which the harness only asks to go on, gives results, or tells what is so anyway. */
export function isFromUser({ content }: Pick<StoredMessage, 'content'>): boolean {
  return content.some((block) => block.type === 'text' && !isOwn(block.text));
}

function isOwn(text: string): boolean {
  return OWN_WORDS.includes(text) || OWN_BEGINNINGS.some((beginning) => text.startsWith(beginning));
}
