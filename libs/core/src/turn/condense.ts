/**
 * Sums up the older part of a conversation: a model call like any other, with its intent, its reservation and its retries. Its request begins as the last one of
 * the task did, so that it reads the provider's cache. The order to sum up is in this request only.
 */
import { usdOf, type ContextSize } from '@bullpen/contracts';
import { placeOf } from '../context/effective-history.js';
import { tokensOf, type ReductionPlan } from '../context/plan-reduction.js';
import { messageTokens } from '../context/size.js';
import { sumsUpInVain } from '../decide/loops/crowding.js';
import { CONDENSE_ORDER, recordText, summaryProblem } from '../conversation/summary.js';
import type { ModelRequest } from '../ports/model.js';
import type { WorkInHand } from '../ports/store.js';
import { isWholeEnd } from '../task/answer-end.js';
import { assertSendable } from '../task/history.js';
import type { ModelCallRecord } from '../task/task.js';
import { preview } from '../task/text.js';
import { HELPED_IN_VAIN, helperRequest } from './helper-request.js';
import { withBytes } from './load-media.js';
import { recordFailure } from './model-failure.js';
import { settle, wasted } from './model-usage.js';
import { beginCall, planCall, unpriced } from './plan-call.js';
import { factsOf, recordReduction } from './record-reduction.js';
import type { ModelCallEnd, Run } from './run.js';
import type { Recording } from './draft.js';
import type { RunState } from './run-state.js';
import { streamAnswer, type StreamedAnswer } from './stream-answer.js';

/** Error classes of summaries that were paid for and not used. A call in place of one is tried again without tools. */
const REFUSED = 'summary';
const CALLED = 'summary_call';

export interface CondensePlan {
  readonly plan: Extract<ReductionPlan, { fromSeq: number }>;
  /** The request that has become too long. */
  readonly request: ModelRequest;
  readonly size: ContextSize;
  /** The call that the provider refused for that reason. */
  readonly refusal: ModelCallRecord | undefined;
}

/** Whether a summary may still be made in this turn: not after one, not after one that was of no use, and not when the last ones all were. */
export function mayCondense({ task, modelCalls, reductions, messages }: RunState): boolean {
  const hasOne = reductions.some(
    ({ seq, reduction }) => reduction.kind === 'condense' && seq > (messages.at(-1)?.seq ?? 0),
  );
  const tries = modelCalls.filter(({ taskAttempt }) => taskAttempt === task.attempt);
  return (
    !hasOne &&
    !sumsUpInVain({ messages, reductions }) &&
    !tries.some(({ errorClass }) => errorClass === REFUSED) &&
    tries.filter(({ errorClass }) => errorClass === CALLED).length < 2
  );
}

/** Makes one attempt at a summary. `over`: it is there, or something else has to be done. */
export async function condense(
  run: Run,
  job: CondensePlan,
  signal: AbortSignal,
): Promise<ModelCallEnd | 'over'> {
  const { state, deps } = run;
  const own = requestFor(run, job);
  const helper = helperRequest(run, own);
  const request = helper ?? own;
  assertSendable(state.task.id, request.messages);
  const whole = await withBytes(run, request);
  const intent = planCall(run, request, {
    phase: 'condense',
    context: null,
    historyChars: JSON.stringify(request.messages).length,
  });
  if (intent === null) return unpriced(run);
  const work = await deps.store.workInHand(state.task.id);
  const stopped = await beginCall(run, intent);
  if (stopped !== null) return stopped;
  const answer = await streamAnswer(run, intent.id, whole, null, signal);
  const failure = answer.error?.class;
  if (helper !== null && failure !== 'aborted') {
    conclude(run, job, intent, answer, work, HELPED_IN_VAIN);
    await state.flush();
    return 'over';
  }
  if (!answer.complete && failure !== 'context' && failure !== 'request')
    return recordFailure(run, intent, answer, signal);
  conclude(run, job, intent, answer, work, null);
  // It was paid for: it is stored before anything else is done.
  await state.flush();
  return 'over';
}

/** Same system prompt, same tools, same beginning. Words that forbid calls keep the cache; a setting that does would lose it. */
function requestFor({ state }: Run, { plan, request }: CondensePlan): ModelRequest {
  const until = state.effective.findLastIndex((row) => placeOf(row) <= plan.toSeq) + 1;
  const hasCalled = state.modelCalls.some(({ errorClass }) => errorClass === CALLED);
  const mayChoose = request.toolChoice.type === 'auto' && !hasCalled;
  const order = { role: 'user' as const, content: [{ type: 'text' as const, text: CONDENSE_ORDER }] };
  return {
    ...request,
    toolChoice: mayChoose ? request.toolChoice : { type: 'none' },
    messages: [...request.messages.slice(0, until), order],
  };
}

function conclude(
  run: Run,
  job: CondensePlan,
  intent: ModelCallRecord,
  answer: StreamedAnswer,
  work: WorkInHand,
  /** What it counts as if it is of no use, whatever the reason; null: by the reason. */
  inVain: typeof HELPED_IN_VAIN | null,
): void {
  const { state } = run;
  const text = recordText(answer.text, factsOf(state, work));
  const refused = refusalOf(run, job, answer, text);
  if (refused !== null)
    return recordRefused(run, intent, answer, { ...refused, ...(inVain !== null && { errorClass: inVain }) });
  const { fromSeq, toSeq } = job.plan;
  const settled = settle(run, intent, answer, { status: 'done', stopReason: answer.stopReason });
  const reduction = { kind: 'condense' as const, fromSeq, toSeq, modelCallId: intent.id };
  recordReduction(
    run,
    { ...reduction, forcedBy: job.refusal?.id ?? null },
    text,
    job.size,
    (messageId, sizes) => ({
      type: 'context.condensed',
      data: {
        messageId,
        modelCallId: intent.id,
        messages: state.messages.filter(({ seq }) => seq >= fromSeq && seq <= toSeq).length,
        ...sizes,
        costUsd: costOf(settled),
        text: preview(text, 20_000),
      },
    }),
    settled,
  );
}

interface Refused {
  readonly errorClass: typeof REFUSED | typeof CALLED | typeof HELPED_IN_VAIN;
  readonly reason: string;
}

function refusalOf(run: Run, job: CondensePlan, answer: StreamedAnswer, text: string): Refused | null {
  const refused = (reason: string): Refused => ({ errorClass: REFUSED, reason });
  if (answer.error !== null) return refused(answer.error.message);
  if (answer.toolCalls.length > 0) return { errorClass: CALLED, reason: 'it is a call of a tool' };
  if (!isWholeEnd(answer.stopReason, false))
    return refused(`it ended with ${answer.stopReason ?? 'nothing'}`);
  const { effective } = run.state;
  const { fromSeq, toSeq } = job.plan;
  const replacing = effective.filter((row) => placeOf(row) >= fromSeq && placeOf(row) <= toSeq);
  const tokens = messageTokens({ role: 'user', content: [{ type: 'text', text }] });
  const replaced = tokensOf(replacing);
  const toolNames = [...run.tools.keys()];
  const problem = summaryProblem({ text: answer.text, tokens, replaced, replacing, toolNames });
  return problem === null ? null : refused(problem);
}

/** It may have been paid for, and is of no use. */
function recordRefused(run: Run, intent: ModelCallRecord, answer: StreamedAnswer, refused: Refused): void {
  const reason = preview(refused.reason, 2_000);
  const { errorClass } = refused;
  const call = wasted(run, intent, answer, { status: 'failed', errorClass, errorMessage: reason });
  const told = {
    type: 'context.summary_refused' as const,
    data: { modelCallId: intent.id, reason, costUsd: costOf(call) },
  };
  run.state.record({ ...call, events: [...(call.events ?? []), told] });
}

function costOf({ usage = [] }: Recording): string | null {
  const cost = usage[0]?.costNanoUsd ?? null;
  return cost === null ? null : usdOf(cost);
}
