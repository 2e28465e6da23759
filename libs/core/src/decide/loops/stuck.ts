/**
 * When an agent that goes in circles is stopped. The first signs are only told to it: false alarms are as bad as loops. Everything is
 * found in what is stored, so a crash changes nothing, and words of the user start afresh.
 */
import { isFromUser, REFUSED_BY_USER, textOf } from '../../task/answer-end.js';
import type { StoredMessage, ToolCallRecord } from '../../task/task.js';
import { wasRefused } from './answered-calls.js';
import { isChanting } from './chanting.js';

/** So many turns with a refused repetition, among the newest, are enough. */
const STRIKES = 3;
const TURNS = 10;
/** So many calls that the user refused, one after the other and without a word. */
const REFUSALS = 6;

type Results = readonly { readonly text: string; readonly isError: boolean }[];

/** Why the agent must not go on alone, as a text for people; null when it may. `calls` have their results, which no message has yet. */
export function stuckReason(
  messages: readonly StoredMessage[],
  calls: readonly ToolCallRecord[],
): string | null {
  const turns = [
    calls.map(({ output, isError }) => ({ text: output ?? '', isError })),
    ...earlierResults(messages),
  ];
  if (
    turns[0]?.some(isRepetition) === true &&
    turns.filter((turn) => turn.some(isRepetition)).length >= STRIKES
  )
    return 'The agent goes round in circles: it keeps making the same calls, with the same results.';
  if (refusedInARow(turns) >= REFUSALS)
    return `The user has refused the agent's last ${REFUSALS} calls that needed approval.`;
  if (chantsInARow(messages) >= 2) return 'The agent says the same sentence over and over.';
  return null;
}

/** Whether the newest answer chants. */
export function chants(messages: readonly StoredMessage[]): boolean {
  return chantsInARow(messages) > 0;
}

const isRepetition = ({ text, isError }: Results[number]): boolean => wasRefused({ result: text, isError });

/** The results of the turns before, newest first, as far back as counts. */
function earlierResults(messages: readonly StoredMessage[]): Results[] {
  const found: Results[] = [];
  for (const { role, content } of messages.slice(-2 * TURNS).reverse()) {
    if (role !== 'user') continue;
    if (isFromUser({ content })) break;
    found.push(
      content.flatMap((block) =>
        block.type === 'tool_result' ? [{ text: block.content, isError: block.is_error === true }] : [],
      ),
    );
  }
  return found;
}

function refusedInARow(turns: readonly Results[]): number {
  const newestFirst = turns.flatMap((turn) => turn.toReversed());
  const end = newestFirst.findIndex(({ text, isError }) => !isError || text !== REFUSED_BY_USER);
  return end < 0 ? newestFirst.length : end;
}

/** The newest answers that chant; at most two are looked at. */
function chantsInARow(messages: readonly StoredMessage[]): number {
  let count = 0;
  for (const message of messages.toReversed()) {
    if (message.role === 'user') {
      if (isFromUser(message)) break;
      continue;
    }
    if (!isChanting(textOf(message))) break;
    count += 1;
    if (count === 2) break;
  }
  return count;
}
