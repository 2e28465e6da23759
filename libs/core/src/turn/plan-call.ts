/** A model call from its plan to its intent: what is reserved, hashed and logged is what is sent. */
import type { ContextSize } from '@bullpen/contracts';
import { noPriceText } from '../agents/resolve.js';
import { mediaTokens } from '../context/media.js';
import { warningsOf } from '../context/warnings.js';
import { mediaIn } from '../conversation/shown-media.js';
import { failedEnd } from '../decide/next-move.js';
import type { ModelRequest } from '../ports/model.js';
import { worstCaseNanoUsd } from '../task/limits.js';
import { priceFor } from '../task/prices.js';
import { profileOf } from '../task/profile-of.js';
import type { CallPhase, ModelCallRecord } from '../task/task.js';
import { overBudget, recordUnsent } from './model-failure.js';
import type { ModelCallEnd, Run } from './run.js';

/** Prices go by characters; a picture has none, but takes tokens. */
const MEDIA_CHARS_PER_TOKEN = 4;

function mediaChars(messages: ModelRequest['messages']): number {
  return mediaIn(messages).reduce((sum, media) => sum + mediaTokens(media) * MEDIA_CHARS_PER_TOKEN, 0);
}

export interface CallFacts {
  readonly phase: CallPhase;
  /** How full the window is with it; null when it is no turn of the conversation. */
  readonly context: ContextSize | null;
  /** The size of its messages as JSON. */
  readonly historyChars: number;
}

/** The row of a call. Null when the model has no price but the tree has a cost limit. */
export function planCall(
  { state, deps }: Run,
  request: ModelRequest,
  { phase, context, historyChars }: CallFacts,
): ModelCallRecord | null {
  const { messages, callsInText: _, ...frame } = request;
  const now = new Date(deps.now());
  const framing = JSON.stringify(frame);
  const chars = historyChars + framing.length + mediaChars(messages);
  const price = priceFor(request, now, Math.ceil(chars / 2.5), 'dearest', deps.priceOf);
  if (price === null && state.task.definition.limits.costUsd !== null) return null;
  return {
    id: deps.newId('mcall'),
    turn: state.task.turns + 1,
    attempt: state.modelCalls.length + 1,
    taskAttempt: state.task.attempt,
    phase,
    profile: request.name,
    model: request.model,
    status: 'started',
    requestHash: deps.hash(`${framing}\n${JSON.stringify(messages.at(-1))}`).slice(0, 32),
    requestMessages: messages.length,
    context,
    firstByteMs: null,
    firstTextMs: null,
    reservedNanoUsd: price === null ? 0n : worstCaseNanoUsd(chars, request, price),
    providerRequestId: null,
    stopReason: null,
    errorClass: null,
    errorMessage: null,
    retryDelayMs: null,
    startedAt: now,
    endedAt: null,
  };
}

export function unpriced({ state }: Run): ModelCallEnd {
  const message = noPriceText(profileOf(state.task).model);
  return { kind: 'ended', outcome: failedEnd('error', 'model_failed', message, 'request') };
}

/** Stores the intent with its reservation. Null: the call may be made. */
export async function beginCall(run: Run, intent: ModelCallRecord): Promise<ModelCallEnd | null> {
  const { state } = run;
  const committed = await state.commit({
    modelCalls: [intent],
    events: intent.context === null ? [] : warningsOf(state.context, intent.context),
    reserveNanoUsd: intent.reservedNanoUsd,
  });
  if (committed.kind === 'over_budget') return overBudget(run, committed, intent.reservedNanoUsd);
  if (!state.mustStop()) return null;
  recordUnsent(run, intent, `the task was ${state.task.cancelRequested ? 'cancelled' : 'paused'}`);
  return { kind: 'again' };
}
