/** What happens after a model call that gave nothing usable: another attempt, a wait, or the end. */
import type { BudgetAnswer, Json } from '@bullpen/contracts';
import { usdOf } from '@bullpen/contracts';
import { askAboutTask } from './ask-person.js';
import { chooseProfile } from './choose-profile.js';
import { policyOf } from './decide-call.js';
import { failedEnd, limited } from '../decide/next-move.js';
import { canAsk } from '../decide/offer.js';
import { suspendFor, waitForKey, waitOut } from './pass-gate.js';
import type { ModelError } from '../ports/model.js';
import { settle } from './model-usage.js';
import type { ParsedAnswer } from '../conversation/native-parser.js';
import type { StreamedAnswer } from './stream-answer.js';
import { decideRetry, IN_PLACE_MS, type RetryDecision, type Tries } from '../decide/retry.js';
import { isOnItsOwn, profileOfCall } from '../task/profile-of.js';
import type { ModelCallEnd, Run } from './run.js';
import type { CommitResult } from '../ports/store.js';
import { answeredAbout } from '../decide/task-asks.js';
import type { ModelCallRecord } from '../task/task.js';
import { preview } from '../task/text.js';

const WAY_OUT =
  'Retry the task to send this again. If it is refused again, rewind the task by its last answer and retry it, or retry it as a new task.';

/** How soon a task looks again for budget that its siblings hold reserved. */
const BUDGET_RECHECK_MS = 1_000;

/** Records what went wrong and decides whether to try again. `over`: the wait before the next try is over. */
export async function recordFailure(
  run: Run,
  intent: ModelCallRecord,
  answer: StreamedAnswer,
  signal: AbortSignal,
): Promise<ModelCallEnd | 'over'> {
  const { state, deps } = run;
  const error = answer.error ?? cutStream(answer);
  const tries = { ofClass: failuresOf(run, intent, error.class) + 1, retries: state.task.retries };
  const alone = isOnItsOwn(profileOfCall(state.task, intent));
  const decision = decisionAbout(error, tries, alone, run);
  const delayMs = 'delayMs' in decision ? decision.delayMs : null;
  const billed = answer.usage !== null;
  const settled = billed ? settle(run, intent, answer, { status: 'failed', stopReason: null }) : {};
  const failed: ModelCallRecord = {
    ...intent,
    status: error.class === 'aborted' ? 'abandoned' : 'failed',
    firstByteMs: answer.firstByteMs,
    firstTextMs: answer.firstTextMs,
    providerRequestId: error.providerRequestId ?? answer.providerRequestId,
    errorClass: error.class,
    errorMessage: preview(error.message, 2_000),
    retryDelayMs: delayMs,
    endedAt: new Date(deps.now()),
    reservedNanoUsd: 0n,
  };
  state.record({ ...settled, modelCalls: [failed], releaseNanoUsd: intent.reservedNanoUsd });
  if (error.class === 'thinking') state.leaveOutThinking();
  if (error.class === 'aborted')
    return state.task.phase === 'grace' && !signal.aborted
      ? { kind: 'ended', outcome: limited(state.task, null) }
      : { kind: 'again' };
  const pauseMs = pauseForAll(error, delayMs ?? 0);
  if (pauseMs !== null && !alone) await deps.gate.pause(intent.model, pauseMs, error.class);
  if (decision.kind !== 'park' && chooseProfile(run)) {
    state.record({ events: [retryEvent(failed, tries.ofClass, 0)] });
    return 'over';
  }
  switch (decision.kind) {
    case 'fail':
      return {
        kind: 'ended',
        outcome: failedEnd('error', 'model_failed', withWayOut(run, error), error.class),
      };
    case 'park':
      await deps.gate.park(error.class, error.message);
      return waitForKey(run, error.class, error.message);
    case 'exhausted':
      return nextAttempt(run, error, decision.delayMs);
    case 'retry':
      state.record({ events: [retryEvent(failed, tries.ofClass, decision.delayMs)] });
      return waitOut(run, decision.delayMs, signal);
  }
}

/** A key that only some profiles send is theirs to mend: nobody waits for it, and the shared one stays as it is. */
function decisionAbout(error: ModelError, tries: Tries, alone: boolean, { state, deps }: Run): RetryDecision {
  const decision = decideRetry(error, tries, state.task.definition.retry, deps.random);
  return alone && decision.kind === 'park' ? { kind: 'fail' } : decision;
}

/**
 * How long nobody should call the provider, because of what this task was told; null when it concerns only this task. A limit
 * without a time may be one of this request alone, such as one for long prompts. An overload concerns everybody, but a delay that
 * the provider did not ask for grows with the tries of this task: the others need not wait that long.
 */
function pauseForAll({ class: errorClass, retryAfterMs }: ModelError, delayMs: number): number | null {
  if (errorClass === 'rate_limit') return retryAfterMs;
  return errorClass === 'overload' ? (retryAfterMs ?? Math.min(delayMs, IN_PLACE_MS)) : null;
}

/** What people can do about a request that will be refused again as it is. A subtask is its parent's to replace: it cannot be retried. */
export function withWayOut(
  { state: { task } }: Run,
  { class: errorClass, message }: Pick<ModelError, 'class' | 'message'>,
): string {
  const isRefusal = errorClass === 'request' || errorClass === 'context' || errorClass === 'thinking';
  return isRefusal && task.depth === 0 ? `${message}\n${WAY_OUT}` : message;
}

/**
 * Failures of a class in this turn, of the same profile, since the present attempt at the task began. Those of a summary are not those of
 * the turn.
 */
function failuresOf({ state }: Run, { phase, profile }: ModelCallRecord, errorClass: string): number {
  return state.modelCalls.filter(
    (call) =>
      call.errorClass === errorClass &&
      call.profile === profile &&
      call.taskAttempt === state.task.attempt &&
      call.status !== 'started' &&
      (call.phase === 'condense') === (phase === 'condense'),
  ).length;
}

function retryEvent(failed: ModelCallRecord, attempt: number, delayMs: number) {
  const { id: modelCallId, errorClass, errorMessage } = failed;
  const data = {
    modelCallId,
    errorClass: errorClass ?? 'network',
    message: errorMessage ?? '',
    attempt,
    delayMs,
  };
  return { type: 'retry.scheduled' as const, data };
}

/** Ends the attempt; the next one starts automatically after the delay. A task that is in its last turn at a limit is not retried. */
async function nextAttempt(run: Run, error: ModelError, dueInMs: number): Promise<ModelCallEnd> {
  const { state, deps } = run;
  if (state.task.phase === 'grace') return { kind: 'ended', outcome: limited(state.task, null) };
  const outcome = failedEnd('error', 'model_failed', error.message, error.class);
  if (outcome.failure === null || !policyOf(run).approvals.alwaysApproveResubmit)
    return { kind: 'ended', outcome };
  const wait = { reason: 'backoff' as const, mode: 'all' as const, childIds: [], dueInMs };
  const result = await state.commit(
    { patch: { mistakes: 0, repairs: 0 } },
    { kind: 'retry', waitId: deps.newId('wait'), wait, failure: outcome.failure },
  );
  return { kind: result.kind === 'not_suspended' ? 'again' : 'waiting' };
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

/** The tree's money does not cover the worst case of this call. What siblings hold reserved may come back: then wait for it. */
export async function overBudget(
  run: Run,
  account: Extract<CommitResult, { kind: 'over_budget' }>,
  neededNanoUsd: bigint,
): Promise<ModelCallEnd> {
  if (account.reservedNanoUsd > 0n) return suspendFor(run, 'budget', BUDGET_RECHECK_MS);
  const answer = answeredAbout(run.state.interactions, 'budget')?.answer as BudgetAnswer | undefined;
  if (canAsk(run.state.task) && run.state.task.phase === 'work' && answer?.decision !== 'stop') {
    const after = await askAboutTask(run, budgetAsk(run, account, neededNanoUsd));
    return { kind: after };
  }
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

/** A raised limit that is still too low is asked about again. */
function budgetAsk(
  run: Run,
  { limitNanoUsd, spentNanoUsd }: Extract<CommitResult, { kind: 'over_budget' }>,
  neededNanoUsd: bigint,
) {
  const [limitUsd, spentUsd, neededUsd] = [limitNanoUsd, spentNanoUsd, neededNanoUsd].map(usdOf);
  const title = `The budget of $${limitUsd} does not cover another model call ($${spentUsd} spent).`;
  const payload = { turn: run.state.task.turns, limitUsd, spentUsd, neededUsd } as Record<string, Json>;
  return { kind: 'budget' as const, reason: 'budget' as const, title, payload };
}

/** Something happened between the decision and the intent: the call is closed without having been sent. */
export function recordUnsent(run: Run, intent: ModelCallRecord, why: string): void {
  run.state.record({
    modelCalls: [
      {
        ...intent,
        status: 'abandoned',
        errorClass: 'aborted',
        errorMessage: `Not sent: ${why}.`,
        endedAt: new Date(run.deps.now()),
        reservedNanoUsd: 0n,
      },
    ],
    releaseNanoUsd: intent.reservedNanoUsd,
  });
}
