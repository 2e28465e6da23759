/** What becomes of a model call that gave nothing usable: another attempt, a wait, or the end. */
import { limited, failure } from './next-move.js';
import type { ModelError } from './model.js';
import { settle } from './model-usage.js';
import type { ParsedAnswer } from './native-parser.js';
import { decideRetry } from './retry.js';
import type { Run } from './run.js';
import type { CommitResult } from './store.js';
import type { ModelCallRecord, TaskOutcome } from './task.js';
import { preview } from './text.js';

/** `answered`: the answer is recorded. `again`: nothing usable came; the loop looks again (cancel, drain, a new message). */
export type ModelCallEnd =
  | { readonly kind: 'answered' }
  | { readonly kind: 'again' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'ended'; readonly outcome: TaskOutcome };

/** How soon a task looks again for budget that its siblings hold reserved. */
const BUDGET_RECHECK_MS = 1_000;

/** Records what went wrong and decides: again at once, later, or not at all. */
export async function recordFailure(
  run: Run,
  intent: ModelCallRecord,
  answer: ParsedAnswer,
  signal: AbortSignal,
): Promise<ModelCallEnd | 'retry'> {
  const { state, deps } = run;
  const error = answer.error ?? cutStream(answer);
  const sameClass =
    state.modelCalls.filter((call) => call.errorClass === error.class && call.status !== 'started').length +
    1;
  const decision = decideRetry(error, sameClass, deps.retry, deps.random);
  const delayMs = decision.kind === 'fail' ? null : decision.delayMs;
  const billed = answer.usage !== null;
  const settled = billed ? settle(run, intent, answer, { status: 'failed', stopReason: null }) : {};
  const failed: ModelCallRecord = {
    ...intent,
    status: error.class === 'aborted' ? 'abandoned' : 'failed',
    providerRequestId: error.providerRequestId ?? answer.providerRequestId,
    errorClass: error.class,
    errorMessage: preview(error.message, 2_000),
    retryDelayMs: delayMs,
    endedAt: new Date(deps.now()),
    reservedNanoUsd: 0n,
  };
  state.record({ ...settled, modelCalls: [failed], releaseNanoUsd: intent.reservedNanoUsd });
  if (error.class === 'aborted')
    return state.task.phase === 'grace' && !signal.aborted
      ? { kind: 'ended', outcome: limited(state.task, null) }
      : { kind: 'again' };
  if (delayMs !== null) {
    const data = {
      modelCallId: intent.id,
      errorClass: error.class,
      message: failed.errorMessage ?? '',
      attempt: sameClass,
      delayMs,
    };
    state.record({ events: [{ type: 'retry.scheduled', data }] });
  }
  switch (decision.kind) {
    case 'fail':
      return { kind: 'ended', outcome: failure('error', 'model_failed', error.message, error.class) };
    case 'park':
      return suspend(run, 'provider', decision.delayMs);
    case 'retry':
      if (decision.where === 'suspended') return suspend(run, 'backoff', decision.delayMs);
      await state.commit();
      if (state.task.cancelRequested) return { kind: 'again' };
      await deps.sleep(decision.delayMs, signal);
      return signal.aborted || deps.shouldYield() ? { kind: 'again' } : 'retry';
  }
}

function cutStream(answer: ParsedAnswer): ModelError {
  const message = 'The stream ended before the answer was complete.';
  return {
    class: 'network',
    message,
    httpStatus: null,
    retryAfterMs: null,
    providerRequestId: answer.providerRequestId,
  };
}

async function suspend(
  run: Run,
  reason: 'provider' | 'backoff' | 'budget',
  dueInMs: number,
): Promise<ModelCallEnd> {
  const wait = { reason, mode: 'all' as const, childIds: [], dueInMs };
  const end = { kind: 'suspend' as const, waitId: run.deps.newId('wait'), wait };
  const result = await run.state.commit({}, end);
  return { kind: result.kind === 'not_suspended' ? 'again' : 'waiting' };
}

/** The tree's money does not cover the worst case of this call. What siblings hold reserved may come back: then wait for it. */
export async function overBudget(
  run: Run,
  account: Extract<CommitResult, { kind: 'over_budget' }>,
): Promise<ModelCallEnd> {
  if (account.reservedNanoUsd > 0n) return suspend(run, 'budget', BUDGET_RECHECK_MS);
  const task = { ...run.state.task, pendingCause: run.state.task.pendingCause ?? ('cost_limit' as const) };
  run.state.record({
    events: [
      {
        type: 'limit.reached',
        data: { cause: 'cost_limit', message: 'The budget of the tree does not cover another model call.' },
      },
    ],
  });
  return { kind: 'ended', outcome: limited(task, null) };
}

/** A cancel came between the decision and the intent: the call is closed without having been sent. */
export function recordUnsent(run: Run, intent: ModelCallRecord): ModelCallEnd {
  run.state.record({
    modelCalls: [
      {
        ...intent,
        status: 'abandoned',
        errorClass: 'aborted',
        errorMessage: 'Not sent: the task was cancelled.',
        endedAt: new Date(run.deps.now()),
        reservedNanoUsd: 0n,
      },
    ],
    releaseNanoUsd: intent.reservedNanoUsd,
  });
  return { kind: 'again' };
}
