/** Leaving what is running: calls that will not finish get a result that says so. */
import { withdrawing } from './ask-person.js';
import { consentNote, noted } from '../conversation/consent-note.js';
import { interruptedResult } from '../conversation/prompts.js';
import type { LoopDeps } from '../ports/loop-deps.js';
import type { RunState } from './run-state.js';
import type { ToolCallRecord } from '../task/task.js';

/** Somebody interrupted the task: what was running is over, and the model is told before it goes on. */
export function leave(state: RunState, deps: LoopDeps, calls: readonly ToolCallRecord[]): void {
  interrupt(state, deps, calls);
  state.record({ patch: { interrupted: false } });
}

/** Ends calls that somebody interrupted; the task stays interrupted. */
export function interrupt(state: RunState, deps: LoopDeps, calls: readonly ToolCallRecord[]): void {
  closeCalls(state, deps, calls, (call) =>
    noted(consentNote(state.interactions, call), interruptedResult(call.tool, call.status === 'calling')),
  );
}

/** Ends calls that will not finish, each with the result that `say` gives. */
export function closeCalls(
  state: RunState,
  deps: LoopDeps,
  calls: readonly ToolCallRecord[],
  say: (call: ToolCallRecord) => string,
): void {
  const endedAt = new Date(deps.now());
  const ids = new Set(calls.map(({ id }) => id));
  state.record(withdrawing(state.unanswered().filter((item) => ids.has(item.callId ?? ''))));
  state.record({
    toolCalls: calls.map((call) => ({
      ...call,
      status: 'canceled',
      isError: true,
      endedAt,
      output: say(call),
    })),
    events: calls.flatMap((call) => (call.status === 'calling' ? [canceledEvent(call)] : [])),
  });
}

function canceledEvent(call: ToolCallRecord) {
  const data = {
    callId: call.id,
    tool: call.tool,
    turn: call.turn,
    state: 'canceled' as const,
    durationMs: 0,
    preview: 'canceled',
  };
  return { type: 'tool.finished' as const, data };
}
