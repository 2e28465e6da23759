/**
 * When a conversation has to be made shorter all the time: what is left of its window has no room for the steps of its task, and each summary is paid for. Found
 * in what is stored, so a crash changes nothing, and words of the user start afresh.
 */
import { isFromUser } from '../../task/answer-end.js';
import type { StoredMessage } from '../../task/task.js';

/** Turns between two times that are no sign of progress. A summary stands for three turns at the least. */
const CLOSE = 4;
/** So many turns in a row, each close to the one before: the agent is told; then it is stopped. */
const TOLD = 3;
const STOPPED = 6;

export interface CrowdingInput {
  readonly messages: readonly StoredMessage[];
  /** What makes the conversation shorter, oldest first. */
  readonly reductions: readonly StoredMessage[];
  /** Answers so far. */
  readonly turns: number;
}

/** What an agent whose window is crowded has to be told now, or why it must not go on alone, as a text for people; null when all is well. */
export function crowding(input: CrowdingInput): 'notice' | { readonly why: string } | null {
  const turns = turnsOf(input);
  const newest = turns[0];
  // Only what came with the newest answer: a notice is given once, and a stop follows at once.
  if (newest !== input.turns - 1) return null;
  const apart = turns.findIndex((turn, at) => turn - (turns[at + 1] ?? -Infinity) > CLOSE);
  const inARow = apart + 1;
  if (inARow === TOLD) return 'notice';
  if (inARow < STOPPED) return null;
  const span = newest - (turns[inARow - 1] ?? newest) + 1;
  return {
    why: `The conversation had to be summed up in ${inARow} of ${span} turns: the steps of this task do not fit into the window of its model. A profile with a larger window may help.`,
  };
}

/** So many summaries in a row that were of no use, and older turns are left out without trying another one. */
const IN_VAIN = 3;

/** Whether summaries only cost money: each of the newest ones was refused, and older turns had to be left out in its place. */
export function sumsUpInVain(input: Pick<CrowdingInput, 'messages' | 'reductions'>): boolean {
  // What the provider forced may have had its summary in the same turn.
  const newest = shortened(input)
    .filter(({ reduction }) => reduction?.forcedBy == null)
    .slice(-IN_VAIN);
  return newest.length === IN_VAIN && newest.every(({ reduction }) => reduction?.kind === 'truncate');
}

/** The turns before which the conversation was summed up, newest first. */
function turnsOf(input: CrowdingInput): readonly number[] {
  const summaries = shortened(input).filter(({ reduction }) => reduction?.kind === 'condense');
  return [...new Set(summaries.map(({ turn }) => turn))].reverse();
}

/** What stands for older turns, or leaves them out, since the user's last words. Masked outputs cost nothing and can be read again. */
function shortened({ messages, reductions }: Pick<CrowdingInput, 'messages' | 'reductions'>) {
  if (reductions.length === 0) return [];
  const since = messages.findLast((message) => message.role === 'user' && isFromUser(message))?.seq ?? 0;
  return reductions.filter(({ seq, reduction }) => seq > since && reduction?.kind !== 'mask');
}
