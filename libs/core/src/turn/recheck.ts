/** A second look at calls whose start has just been stored: what somebody switched meanwhile counts for those that have not begun. */
import type { ToolCallRecord } from '../task/task.js';
import { contextOf } from './call.js';
import { review, type Ready } from './review.js';
import type { Run } from './run.js';

/** What a decision about a call depends on, and others may switch at any time. */
export type Switches = Pick<Run['state']['task'], 'autonomy' | 'mode'>;

export interface Rechecked {
  readonly ready: readonly Ready[];
  /** Not to be run any more; the model reads why. */
  readonly refused: readonly { readonly call: ToolCallRecord; readonly reason: string }[];
}

/** The calls that may still run. @param before what held when they were decided about */
export async function recheck(run: Run, ready: readonly Ready[], before: Switches): Promise<Rechecked> {
  const { autonomy, mode } = run.state.task;
  if (autonomy === before.autonomy && mode === before.mode) return { ready, refused: [] };
  const left: Ready[] = [];
  const refused: { call: ToolCallRecord; reason: string }[] = [];
  for (const item of ready) {
    const again = await review(run, { ...item.call, status: 'generated' }, (of) => contextOf(run, of));
    const call = run.state.toolCalls.find(({ id }) => id === item.call.id) ?? item.call;
    if (again.kind === 'ready') left.push(item);
    else refused.push({ call, reason: again.kind === 'refuse' ? again.reason : ASKED_NOW });
  }
  return { ready: left, refused };
}

const ASKED_NOW =
  'Not run: the user switched how you work at this moment, and now this call needs approval. Make it again if it is still right.';
