/**
 * Makes a request fit before it is sent: measured after the results of the last turn and before the next call. Every step of it is a row, so that a run after
 * a crash goes on from there; what a step needs to know is read from rows as well.
 */
import type { ContextSize, MistakesAnswer } from '@bullpen/contracts';
import { outputsIn } from '../context/effective-history.js';
import { planReduction, type ReductionPlan } from '../context/plan-reduction.js';
import { buildRequest } from '../conversation/request.js';
import { cutText, tooLongText } from '../conversation/summary.js';
import { failedEnd } from '../decide/next-move.js';
import { canAsk } from '../decide/offer.js';
import { answeredAbout } from '../decide/task-asks.js';
import type { ModelRequest } from '../ports/model.js';
import type { InteractionRecord, ModelCallRecord } from '../task/task.js';
import { READ_TOOL_OUTPUT } from '../task/text.js';
import { askAboutTask } from './ask-person.js';
import { condense, mayCondense } from './condense.js';
import { measure } from './measure.js';
import { withWayOut } from './model-failure.js';
import { recordUserMessage } from './record-user-message.js';
import { factsOf, recordReduction } from './record-reduction.js';
import type { ModelCallEnd, Run } from './run.js';
import type { RunState } from './run-state.js';

/** So often in a turn the history is made smaller after the provider has refused it; then its user is asked. */
const MOST_REFUSALS = 3;

/** A request that may be sent, and how full the window is with it. */
export interface Room {
  readonly kind: 'fits';
  readonly request: ModelRequest;
  readonly size: ContextSize;
}

export async function makeRoom(run: Run, signal: AbortSignal): Promise<Room | ModelCallEnd> {
  for (;;) {
    const request = buildRequest(run.state, run.tools);
    const size = await measure(run, request, signal);
    const refusals = refusalsOf(run.state);
    const refusal = isAnswered(run.state, refusals.at(-1)) ? undefined : refusals.at(-1);
    const plan = planFor(run, request, size, refusals, refusal);
    switch (plan.kind) {
      case 'none':
        return { kind: 'fits', request, size };
      case 'mask':
        mask(run, plan, size, refusal);
        break;
      case 'truncate':
        await truncate(run, plan, size, refusal);
        break;
      case 'condense': {
        const after = await condense(run, { plan, request, size, refusal }, signal);
        if (after !== 'over') return after;
        break;
      }
      case 'stuck': {
        const after = await stuck(run, refusals);
        return after === 'fits' ? { kind: 'fits', request: buildRequest(run.state, run.tools), size } : after;
      }
    }
  }
}

/** Refusals of this turn as too long, since the present attempt at the task began. */
function refusalsOf({ task, modelCalls }: RunState): readonly ModelCallRecord[] {
  return modelCalls.filter(
    ({ errorClass, phase, taskAttempt }) =>
      errorClass === 'context' && phase !== 'condense' && taskAttempt === task.attempt,
  );
}

/** Whether the history has been made smaller for it. */
function isAnswered({ reductions }: RunState, refusal: ModelCallRecord | undefined): boolean {
  return reductions.some(({ reduction }) => reduction.forcedBy === refusal?.id);
}

function planFor(
  { state }: Run,
  { tools }: ModelRequest,
  size: ContextSize,
  refusals: readonly ModelCallRecord[],
  refusal: ModelCallRecord | undefined,
): ReductionPlan {
  const refused = refusal !== undefined;
  const since = refusals.length - (answerIn(state.interactions)?.refusals ?? 0);
  if (since > MOST_REFUSALS || (refused && !state.task.definition.condense)) return { kind: 'stuck' };
  if (!state.task.definition.condense) return { kind: 'none' };
  return planReduction({
    effective: state.effective,
    size,
    refused,
    mayCondense: mayCondense(state),
    canRead: tools.some(({ name }) => name === READ_TOOL_OUTPUT),
  });
}

type Range = Extract<ReductionPlan, { fromSeq: number }>;

function mask(
  run: Run,
  { fromSeq, toSeq }: Range,
  size: ContextSize,
  forcedBy: ModelCallRecord | undefined,
): void {
  const outputs = run.state.effective
    .filter(({ seq, reduction }) => reduction === undefined && seq <= toSeq)
    .reduce((count, message) => count + outputsIn(message), 0);
  recordReduction(
    run,
    { kind: 'mask', fromSeq, toSeq, modelCallId: null, forcedBy: forcedBy?.id ?? null },
    `Long outputs of the turns up to here are left out of requests: ${outputs} more.`,
    size,
    (messageId, sizes) => ({ type: 'context.masked', data: { messageId, outputs, ...sizes } }),
  );
}

async function truncate(
  run: Run,
  { fromSeq, toSeq }: Range,
  size: ContextSize,
  forcedBy: ModelCallRecord | undefined,
): Promise<void> {
  const { state, deps } = run;
  const work = await deps.store.workInHand(state.task.id);
  const messages = state.messages.filter(({ seq }) => seq >= fromSeq && seq <= toSeq).length;
  recordReduction(
    run,
    { kind: 'truncate', fromSeq, toSeq, modelCallId: null, forcedBy: forcedBy?.id ?? null },
    cutText(factsOf(state, work)),
    size,
    (messageId, sizes) => ({
      type: 'context.truncated',
      data: { messageId, messages, ...sizes, forced: forcedBy !== undefined },
    }),
  );
}

/** What the user said when the task was stuck in this turn, and after how many refusals. */
function answerIn(
  interactions: readonly InteractionRecord[],
): { readonly answer: MistakesAnswer; readonly refusals: number } | null {
  const asked = interactions.filter(({ payload }) => payload['cause'] === 'context');
  const answered = answeredAbout(asked, 'mistakes');
  if (answered === null) return null;
  return { answer: answered.answer as MistakesAnswer, refusals: Number(answered.payload['mistakes']) };
}

/** What the user said with the answer goes into the request, once. */
function tell(run: Run, guidance: string | undefined): void {
  if (guidance === undefined) return;
  const text = tooLongText(guidance);
  const last = run.state.messages.at(-1)?.content.at(-1);
  if (last?.type !== 'text' || last.text !== text) recordUserMessage(run, [], [text]);
}

/** It has to become smaller and cannot: its user decides whether it is sent again, or it ends with what the provider said. */
async function stuck(run: Run, refusals: readonly ModelCallRecord[]): Promise<'fits' | ModelCallEnd> {
  const { state } = run;
  const said = refusals.at(-1)?.errorMessage ?? 'The conversation is too long.';
  const answered = answerIn(state.interactions);
  const isNew = answered?.refusals !== refusals.length;
  if (!isNew && answered.answer.decision === 'continue') {
    tell(run, answered.answer.guidance);
    return 'fits';
  }
  if (!isNew || !canAsk(state.task) || state.task.phase !== 'work') {
    const message = withWayOut(run, { class: 'context', message: said });
    return { kind: 'ended', outcome: failedEnd('error', 'model_failed', message, 'context') };
  }
  const title = 'The conversation is too long for its model, and making it shorter did not help.';
  const payload = {
    turn: state.task.turns,
    mistakes: refusals.length,
    message: `${title} The provider said: ${said}`,
  };
  const ask = {
    kind: 'mistakes' as const,
    reason: 'answer' as const,
    title,
    payload: { ...payload, cause: 'context' },
  };
  return { kind: await askAboutTask(run, ask) };
}
