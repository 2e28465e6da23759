/**
 * One model call of a turn, with its attempts: reserve and record the intent, stream, then record the answer or the failure. A
 * stored answer is never asked for again; a call that a lost worker had started is marked as abandoned before a new attempt.
 */
import { noPriceText } from '../agents/resolve.js';
import { profileOf } from '../task/profile-of.js';
import { priceFor } from '../task/prices.js';
import { warningsOf } from '../context/warnings.js';
import { worstCaseNanoUsd } from '../task/limits.js';
import type { ModelRequest } from '../ports/model.js';
import { measure } from './measure.js';
import { overBudget, recordFailure, recordUnsent } from './model-failure.js';
import { writeOffStarted } from './model-usage.js';
import { failedEnd } from '../decide/next-move.js';
import { chooseProfile, leaveRefusing } from './choose-profile.js';
import { passGate } from './pass-gate.js';
import { isUsable, recordAnswer } from './record-answer.js';
import { openingChars } from '../conversation/briefing-text.js';
import { buildRequest } from '../conversation/request.js';
import type { ModelCallEnd, Run } from './run.js';
import { streamAnswer } from './stream-answer.js';
import type { ModelCallRecord } from '../task/task.js';
import { recordUserMessage } from './record-user-message.js';

/** A request and its row: always made together, so that what is reserved, hashed and logged is what is sent. */
interface PlannedCall {
  readonly request: ModelRequest;
  readonly intent: ModelCallRecord;
}

/**
 * Calls the model for the current turn until there is an answer, a wait or an end. Throws `history_corrupt` before sending anything
 * illegal.
 */
export async function callModel(run: Run, signal: AbortSignal): Promise<ModelCallEnd> {
  writeOffStarted(run);
  for (;;) {
    chooseProfile(run);
    const gate = await passGate(run, signal);
    if (gate !== 'open') return gate;
    if (isHeard(run)) recordUserMessage(run, await run.state.takeInbox(), []);
    const planned = await planCall(run, signal);
    if (planned === null) return unpriced(run);
    const next = await makeCall(run, planned, signal);
    if (next !== 'over') return next;
  }
}

/** Makes one attempt. `over`: it gave nothing, and the next one may start. */
async function makeCall(
  run: Run,
  { request, intent }: PlannedCall,
  signal: AbortSignal,
): Promise<ModelCallEnd | 'over'> {
  const { state, deps } = run;
  const committed = await state.commit({
    modelCalls: [intent],
    events: intent.context === null ? [] : warningsOf(state.context, intent.context),
    reserveNanoUsd: intent.reservedNanoUsd,
  });
  if (committed.kind === 'over_budget') return overBudget(run, committed, intent.reservedNanoUsd);
  if (state.mustStop()) {
    recordUnsent(run, intent, `the task was ${state.task.cancelRequested ? 'cancelled' : 'paused'}`);
    return { kind: 'again' };
  }
  if (isSwitched(run, request)) {
    recordUnsent(run, intent, 'the task was switched to another model profile');
    await state.flush();
    return 'over';
  }
  // Steering that came while the last tools ran is known only now. It goes into this turn, in a new request.
  if (isHeard(run)) {
    recordUnsent(run, intent, 'the user wrote a message, which has to go into the request');
    await state.flush(); // Gives the reservation back: the larger request may need it.
    return 'over';
  }
  const messageId = deps.newId('msg');
  const answer = await streamAnswer(run, request, messageId, signal);
  const refused = leaveRefusing(run, intent, answer);
  if (refused !== null) {
    state.record(refused);
    return 'over';
  }
  return isUsable(answer)
    ? recordAnswer(run, intent, answer, messageId)
    : recordFailure(run, intent, answer, signal);
}

/** Somebody has switched the profile since the request was made: all of one request comes from one profile. */
function isSwitched({ state }: Run, request: ModelRequest): boolean {
  const { name, model, baseUrl } = profileOf(state.task);
  return name !== request.name || model !== request.model || baseUrl !== request.baseUrl;
}

/** Whether the user's words go into the next request. */
function isHeard({ state: { task } }: Run): boolean {
  return task.phase === 'work' && task.inboxPending > 0;
}

/** The next request and its row. Null when the model has no price but the tree has a cost limit. */
async function planCall(run: Run, signal: AbortSignal): Promise<PlannedCall | null> {
  const { state, deps } = run;
  const request = buildRequest(state, run.tools);
  state.proof.assertSendable(state.task.id);
  const now = new Date(deps.now());
  const { messages, callsInText: _, ...frame } = request;
  const framing = JSON.stringify(frame);
  const chars = state.historyChars + openingChars(state.task.briefing) + framing.length;
  const price = priceFor(request, now, Math.ceil(chars / 2.5), 'dearest', deps.priceOf);
  if (price === null && state.task.definition.limits.costUsd !== null) return null;
  const intent: ModelCallRecord = {
    id: deps.newId('mcall'),
    turn: state.task.turns + 1,
    attempt: state.modelCalls.length + 1,
    taskAttempt: state.task.attempt,
    phase: state.task.phase,
    model: request.model,
    profile: request.name,
    status: 'started',
    requestHash: deps.hash(`${framing}\n${JSON.stringify(messages.at(-1))}`).slice(0, 32),
    requestMessages: messages.length,
    context: await measure(run, request, signal),
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
  return { request, intent };
}

function unpriced({ state }: Run): ModelCallEnd {
  const message = noPriceText(profileOf(state.task).model);
  return { kind: 'ended', outcome: failedEnd('error', 'model_failed', message, 'request') };
}
