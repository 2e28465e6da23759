/** The end of a call: refused, or with the outcome that it had. */
import { noted } from '../conversation/consent-note.js';
import { ended, endOf, type RowsOutcome } from './call-rows.js';
import { fireRejected, noteCall } from './modes.js';
import type { ToolCallRecord } from '../task/task.js';
import type { Ready } from './review.js';
import type { Run } from './run.js';

/** The call does not run; the model reads why. */
export async function refuse(run: Run, call: ToolCallRecord, reason: string): Promise<void> {
  run.state.record(ended(run, call, { status: 'errored', isError: true, text: reason }));
  if (call.approval?.verdict === 'deny' && call.approval.by === 'user') await fireRejected(run, reason);
}

/** Records what came of a call. @param call as it was started */
export function conclude(run: Run, item: Ready, call: ToolCallRecord, outcome: RowsOutcome): void {
  noteEnd(run, item, outcome);
  run.state.record(endOf(run, call, withNote(outcome, item.note)));
}

/** What the call did, for the conditions of work modes. */
function noteEnd(run: Run, { call, tool, bound, facts }: Ready, outcome: RowsOutcome): void {
  if (outcome.kind !== 'result') return;
  const { isError = false, exitCode, output } = outcome;
  const { name, group } = tool;
  noteCall(run, { tool: name, group, args: bound.args, facts, isError, exitCode, output, turn: call.turn });
}

/** The result, preceded by what a person changed or remarked, if the model reads it. */
function withNote(outcome: RowsOutcome, note: string | null): RowsOutcome {
  return note === null || !('output' in outcome) || typeof outcome.output !== 'string'
    ? outcome
    : ({ ...outcome, output: noted(note, outcome.output) } as typeof outcome);
}
