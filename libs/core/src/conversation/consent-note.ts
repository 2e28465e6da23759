/** What the model has to know about how its call was approved. */
import type { ApprovalAnswer } from '@bullpen/contracts';
import type { InteractionRecord, ToolCallRecord } from '../task/task.js';

/** Changed arguments and remarks of an approval; null when there are none. */
export function noteOf({ answer }: InteractionRecord): string | null {
  const { arguments: changed, remarks } = answer as ApprovalAnswer;
  const notes = [
    ...(changed === undefined
      ? []
      : [`The user changed the arguments before approving; the call ran with: ${JSON.stringify(changed)}`]),
    ...(remarks === undefined ? [] : [`The user approved it with this remark: ${remarks}`]),
  ];
  return notes.length === 0 ? null : notes.join('\n');
}

/** The note on a call that has started; null when there is nothing to say, or nobody was asked. */
export function consentNote(
  interactions: readonly InteractionRecord[],
  { approval }: ToolCallRecord,
): string | null {
  const used = interactions.find(({ id }) => id === approval?.interactionId);
  return used ? noteOf(used) : null;
}

/** A result with the note before it. */
export function noted(note: string | null, result: string): string {
  return note === null ? result : `${note}\n\n${result}`;
}
