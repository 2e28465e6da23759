/** What would run, in one line. */
import { ApprovalPayload, type InteractionView } from '@bullpen/contracts';
import { commandOf, pathOf } from '../../ui/ask/asked.js';

export function titleOf(view: InteractionView): string {
  const asked = view.kind === 'approval' ? ApprovalPayload.safeParse(view.payload).data : undefined;
  return (asked && (commandOf(asked) ?? pathOf(asked))) ?? view.title;
}
