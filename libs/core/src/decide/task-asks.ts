/** Questions about a task as a whole, as they are stored and answered. */
import type { InteractionKind, WaitReason } from '@bullpen/contracts';
import type { InteractionRecord } from '../task/task.js';
import type { Ask } from '../ports/tool.js';

/** A question about the task as a whole, asked at most once a turn and kind. */
export interface TaskAsk extends Ask {
  readonly reason: WaitReason;
}

/** The newest answered interaction of a kind about the current turn of the task as a whole. */
export function answeredAbout(
  interactions: readonly InteractionRecord[],
  kind: InteractionKind,
): InteractionRecord | null {
  return (
    interactions.findLast((item) => item.callId === null && item.kind === kind && item.answer !== null) ??
    null
  );
}
