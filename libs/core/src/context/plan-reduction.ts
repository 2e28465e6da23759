/**
 * What has to be done before a request can be sent that has become too long: nothing, older outputs masked, a summary, or older turns left out. Pure.
 * Each takes a big stride: every one of them costs the provider's cache, so that a little at each turn would be the dearest way.
 */
import type { ContextSize } from '@bullpen/contracts';
import type { StoredMessage } from '../task/task.js';
import { maskedContent, outputsIn, partsOf, type Parts, type Round } from './effective-history.js';
import { messageTokens } from './size.js';

/** The share of the budget that the newest turns may have to stay as they are; the very newest stays anyway. */
const KEPT = 0.3;
/** Masking is enough when it brings the request down to this share of the budget. */
const COMFORTABLE = 0.7;
/** What is left of the history after the provider has refused it as too long. */
const FORCED = 0.75;
/** So much of the history is left out at least, when turns are. */
const LEAST_CUT = 0.25;
/** Fewer messages are not worth a summary. */
const LEAST_MESSAGES = 5;

export interface ReductionInput {
  readonly effective: readonly StoredMessage[];
  readonly size: Pick<ContextSize, 'system' | 'tools' | 'messages' | 'tokens' | 'threshold' | 'budget'>;
  /** The provider has refused the request as it is: it has to become smaller, whatever its size seems to be. */
  readonly refused: boolean;
  /** False when this turn has had its summary, or has tried in vain. */
  readonly mayCondense: boolean;
  /** The agent has the tool that reads what is masked. */
  readonly canRead: boolean;
}

/** The range is of numbers of messages, both ends included. */
export type ReductionPlan =
  | { readonly kind: 'none' }
  | { readonly kind: 'mask' | 'condense' | 'truncate'; readonly fromSeq: number; readonly toSeq: number }
  /** It has to become smaller, and cannot. */
  | { readonly kind: 'stuck' };

export function planReduction(input: ReductionInput): ReductionPlan {
  const { effective, size, refused, mayCondense, canRead } = input;
  const parts = partsOf(effective);
  const [first] = parts.rounds;
  if (!refused && size.tokens < size.threshold) return { kind: 'none' };
  if (first === undefined) return impossible(refused);
  const history = tokensOf(effective);
  const room = roomIn(size, history);
  const limit = refused ? history * FORCED : room(size.threshold);
  const kept = keptFrom(parts.rounds, Math.min(room(size.budget), history) * KEPT);
  const toSeq = endBefore(parts.rounds, kept);
  const comfortable = refused ? limit : Math.min(limit, room(size.budget * COMFORTABLE));
  if (canRead && maskedTokens(effective, toSeq) <= comfortable) return { kind: 'mask', fromSeq: 1, toSeq };
  if (mayCondense && messagesIn(parts.rounds.slice(0, kept)) >= LEAST_MESSAGES)
    return { kind: 'condense', fromSeq: placeOfFirst(parts, first), toSeq };
  const cut = roundsToCut(parts.rounds, history, limit);
  if (cut > 0)
    return { kind: 'truncate', fromSeq: cutFrom(parts, first), toSeq: endBefore(parts.rounds, cut) };
  const newest = parts.rounds.at(-1)?.messages.at(-1)?.seq ?? 0;
  if (canRead && maskedTokens(effective, newest) < history)
    return { kind: 'mask', fromSeq: 1, toSeq: newest };
  return impossible(refused);
}

function impossible(refused: boolean): ReductionPlan {
  return { kind: refused ? 'stuck' : 'none' };
}

/** Estimated tokens of messages. */
export function tokensOf(messages: readonly StoredMessage[]): number {
  return messages.reduce((total, message) => total + messageTokens(message), 0);
}

/** How much of the history there is room for in so many tokens. Measured by the provider, it may be more than it seems to be here. */
function roomIn(
  { system, tools, messages }: ReductionInput['size'],
  history: number,
): (tokens: number) => number {
  return (tokens) => ((tokens - system - tools) * history) / Math.max(1, messages);
}

/** The first of the newest turns that together have so many tokens; at least the last one stays. */
function keptFrom(rounds: readonly Round[], tokens: number): number {
  let left = tokens;
  const at = rounds.findLastIndex(({ messages }) => (left -= tokensOf(messages)) < 0);
  return Math.min(at + 1, rounds.length - 1);
}

function endBefore(rounds: readonly Round[], at: number): number {
  return (rounds[at]?.fromSeq ?? 1) - 1;
}

/** What the history would have with the outputs up to there masked; infinite when there is nothing to mask. */
function maskedTokens(effective: readonly StoredMessage[], toSeq: number): number {
  const old = effective.filter(({ seq, reduction }) => reduction === undefined && seq <= toSeq);
  if (!old.some((message) => outputsIn(message) > 0)) return Infinity;
  const saved = tokensOf(old) - tokensOf(old.map((row) => ({ ...row, content: maskedContent(row.content) })));
  return tokensOf(effective) - saved;
}

function messagesIn(rounds: readonly Round[]): number {
  return rounds.reduce((count, { messages }) => count + messages.length, 0);
}

/** A summary stands for everything behind the task itself, older summaries included: there is never more than one. */
function placeOfFirst({ head }: Parts, first: Round): number {
  return Math.min(first.fromSeq, ...head.flatMap(({ reduction }) => reduction?.fromSeq ?? []));
}

/** A summary stays when older turns are left out; an earlier note about such turns does not. */
function cutFrom({ head }: Parts, first: Round): number {
  return head.find(({ reduction }) => reduction?.kind === 'truncate')?.reduction?.fromSeq ?? first.fromSeq;
}

/** How many of the oldest turns have to go; zero when that cannot help. The newest one stays. */
function roundsToCut(rounds: readonly Round[], history: number, limit: number): number {
  const enough = Math.max(history * LEAST_CUT, history - limit);
  let gone = 0;
  const last = rounds.findIndex(({ messages }) => (gone += tokensOf(messages)) >= enough);
  return Math.min(last < 0 ? rounds.length : last + 1, rounds.length - 1);
}
