/**
 * Calls that are nothing but rows of the step: a subtask is born in the transaction that stores the result of its call. An intent is stored
 * before an effect so that a crash in between leaves a trace of it; these have no effect, so neighbouring ones need no intents and share one
 * step. Either all of it is stored, or none, and then they run again.
 */
import type { ToolCallRecord } from '../task/task.js';
import { contextOf, outcomeOf } from './call.js';
import { startOf, type RowsOutcome } from './call-rows.js';
import { conclude, refuse } from './end-call.js';
import { kept } from './keep-media.js';
import { placedAtOnce } from './place-child.js';
import { review, type Ready, type Review } from './review.js';
import { isOver, type Run } from './run.js';

/** Calls of one step, at most: it is one statement, and holds the task's row while it runs. */
const MOST = 64;

/** A call that is refused, or whose outcome is rows. */
type Looked =
  Extract<Review, { kind: 'refuse' }> | (Ready & { readonly kind: 'ready'; readonly outcome: RowsOutcome });

/**
 * Ends the calls at the front of `calls` that are nothing but rows, in their order, and takes them out. Each is looked at after what the one before
 * it has brought: limits count every subtask. The last step is left open, for the next commit to store.
 */
export async function runWithinStep(run: Run, calls: ToolCallRecord[], signal: AbortSignal): Promise<void> {
  let room = 0;
  while (!isOver(run, signal)) {
    const [call] = calls;
    if (call === undefined || run.tools.get(call.tool)?.isPure !== true) return;
    const looked = await look(run, call, signal);
    if (looked === null) return;
    if (room === 0) {
      // Looked at again after it: what others have switched or stopped meanwhile counts for calls that have not begun.
      await run.state.catchUp();
      room = MOST;
      continue;
    }
    await end(run, looked);
    calls.shift();
    room -= 1;
  }
}

/** Null for a call that has to be asked about, or is more than rows: it takes the usual way. */
async function look(run: Run, call: ToolCallRecord, signal: AbortSignal): Promise<Looked | null> {
  const item = await review(run, call, (of) => contextOf(run, of));
  if (item.kind !== 'ready') return item.kind === 'ask' ? null : item;
  const outcome = placedAtOnce(run, await outcomeOf(run, item, signal));
  const result = outcome && (await kept(run, outcome));
  return result === null || result.kind === 'wait' || result.kind === 'signal'
    ? null
    : { ...item, outcome: result };
}

async function end(run: Run, looked: Looked): Promise<void> {
  if (looked.kind === 'refuse') return refuse(run, looked.call, looked.reason);
  const { started, events } = startOf(run, looked);
  run.state.record({ events });
  conclude(run, looked, started, looked.outcome);
}
