/** Suspending a task: it holds nothing while it waits, and a claim goes on from the stored state. */
import type { Run } from './run.js';
import type { Recording } from './draft.js';
import type { WaitSpec } from '../task/task.js';

/** Commits what is given and suspends the task. `again`: the wait is over already, or there is something else to see to. */
export async function suspend(
  { state, deps }: Pick<Run, 'state' | 'deps'>,
  wait: WaitSpec,
  pieces: Recording = {},
): Promise<'waiting' | 'again'> {
  const result = await state.commit(pieces, { kind: 'suspend', waitId: deps.newId('wait'), wait });
  return result.kind === 'not_suspended' ? 'again' : 'waiting';
}
