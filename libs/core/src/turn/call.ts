/** One call of a tool while it runs: what it may use, what watchers see of it, and what comes of it. */
import { errorText } from '@bullpen/contracts';
import { liveText, type LiveText } from '../masking/live-text.js';
import type { ToolContext, ToolOutcome } from '../ports/tool.js';
import type { ToolCallRecord } from '../task/task.js';
import { policyOf } from './decide-call.js';
import type { Ready } from './review.js';
import type { Run } from './run.js';
import { mayPass } from './store-errors.js';

/** Runs one call; what it throws becomes its result. Throws only when the store is unreachable. */
export async function outcomeOf(
  run: Run,
  { call, tool, bound, answer }: Pick<Ready, 'call' | 'tool' | 'bound' | 'answer'>,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const live = liveOutput(run, call);
  try {
    return await bound.run({ ...contextOf(run, call), onOutput: live.push, answer }, signal);
  } catch (error) {
    if (mayPass(error)) throw error; // The store is unreachable, which says nothing about the call.
    return { kind: 'result', output: `${tool.name} failed: ${errorText(error)}`, isError: true };
  } finally {
    live.end();
  }
}

/** What a call may use. */
export function contextOf(run: Run, call: ToolCallRecord): ToolContext {
  const { state, deps } = run;
  const { task } = state;
  return {
    task,
    callId: call.id,
    epoch: state.lease.epoch,
    workspacePath: run.workspace.path,
    policy: policyOf(run).rules,
    onOutput: () => undefined,
    masker: deps.masker,
    children: (ids) => deps.store.children(task.id, ids),
    storedOutput: (callId) => deps.store.storedOutput(task.id, callId),
  };
}

/** What a running call reports, for watchers. */
function liveOutput({ state, deps }: Run, { id: callId }: ToolCallRecord): LiveText {
  return liveText(deps.masker, (text, offset) =>
    deps.emit(state.task.id, { type: 'tool.output_delta', data: { callId, offset, text } }),
  );
}
