/** Rewinding a conversation: which of its messages are dropped, and when that can be done. Pure; the stores do it. */
import { plural, type RewindTask, type TaskState, type WaitReason } from '@bullpen/contracts';

/** A message of the history with which an exchange begins: the user's words, and no results of calls before them. */
export interface ExchangeStart {
  readonly messageId: string;
  readonly seq: number;
  /** The messages of the inbox that were delivered in it; none for a prompt. */
  readonly inboxIds: readonly string[];
  readonly text: string;
}

export type RewindPoint =
  | { readonly ok: true; readonly fromSeq: number; readonly exchanges: number; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** The present conversation as far as a rewind looks at it, oldest first. */
export interface RewindableHistory {
  readonly state: TaskState;
  readonly starts: readonly ExchangeStart[];
  /** Numbers of the agent's messages. */
  readonly answerSeqs: readonly number[];
}

/** Where a rewind cuts. A failed task keeps its beginning: without the task itself, another attempt would have nothing to do. */
export function rewindPoint(history: RewindableHistory, request: RewindTask): RewindPoint {
  const cut =
    'answers' in request ? answerCut(history.answerSeqs, request.answers) : startCut(history.starts, request);
  if ('reason' in cut) return { ok: false, reason: cut.reason };
  const { fromSeq } = cut;
  if (history.state === 'failed' && fromSeq <= (history.starts[0]?.seq ?? 0))
    return {
      ok: false,
      reason: 'Nothing would be left of the failed task: start it over instead.',
    };
  const dropped = history.starts.filter(({ seq }) => seq >= fromSeq);
  return { ok: true, fromSeq, exchanges: dropped.length, text: dropped[0]?.text ?? '' };
}

type Cut = { readonly fromSeq: number } | { readonly reason: string };

function answerCut(seqs: readonly number[], count: number): Cut {
  const fromSeq = seqs[seqs.length - count];
  if (fromSeq !== undefined) return { fromSeq };
  return { reason: `The agent has given ${plural(seqs.length, 'answer')}, and ${count} cannot be dropped.` };
}

function startCut(starts: readonly ExchangeStart[], request: Exclude<RewindTask, { answers: number }>): Cut {
  const at = 'turns' in request ? starts.length - request.turns : indexOf(starts, request.messageId);
  const start = starts[at];
  if (start) return { fromSeq: start.seq };
  if ('turns' in request)
    return {
      reason: `The conversation has ${plural(starts.length, 'exchange')}, and ${request.turns} cannot be dropped.`,
    };
  return {
    reason: `No exchange of the current conversation begins with the message ${request.messageId}. A message that reached the agent in the middle of its work does not begin one.`,
  };
}

/** Whether a task is at rest: it is the user's turn, or the task is paused. Nothing can be taken back while the task is working. */
export function isAtRest(state: TaskState, waitReason: WaitReason | null): boolean {
  return state === 'paused' || (state === 'waiting' && waitReason === 'message');
}

/** Whether the conversation of a task may be cut: when it is at rest, or after a failure that its own history may have caused. */
export function isRewindable(state: TaskState, waitReason: WaitReason | null): boolean {
  return state === 'failed' || isAtRest(state, waitReason);
}

function indexOf(starts: readonly ExchangeStart[], id: string): number {
  return starts.findIndex(({ messageId, inboxIds }) => messageId === id || inboxIds.includes(id));
}
