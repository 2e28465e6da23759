/** Rewinding a conversation: which of its messages are dropped, and when that can be done. Pure; the stores do it. */
import type { RewindTask, TaskState, WaitReason } from '@bullpen/contracts';

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

/** Where a rewind cuts. `starts` are those of the present conversation, oldest first. */
export function rewindPoint(starts: readonly ExchangeStart[], request: RewindTask): RewindPoint {
  const at = 'turns' in request ? starts.length - request.turns : indexOf(starts, request.messageId);
  const start = starts[at];
  if (start) return { ok: true, fromSeq: start.seq, exchanges: starts.length - at, text: start.text };
  if (!('turns' in request))
    return {
      ok: false,
      reason: `No exchange of the present conversation begins with the message ${request.messageId}. Messages that reached the agent in the middle of its work begin none.`,
    };
  const count = starts.length === 1 ? 'one exchange' : `${starts.length} exchanges`;
  return { ok: false, reason: `The conversation has ${count}, and ${request.turns} cannot be dropped.` };
}

/** Whether a task is at rest: the user has the word, or the task is paused. Nothing of it can be taken back while it is at work. */
export function isAtRest(state: TaskState, waitReason: WaitReason | null): boolean {
  return state === 'paused' || (state === 'waiting' && waitReason === 'message');
}

function indexOf(starts: readonly ExchangeStart[], id: string): number {
  return starts.findIndex(({ messageId, inboxIds }) => messageId === id || inboxIds.includes(id));
}
