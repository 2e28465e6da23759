/**
 * One model call of a turn, with its attempts: reserve and record the intent, stream, then record the answer or the failure. A
 * stored answer is never asked for again; a call that a lost worker had started is marked as abandoned before a new attempt.
 */
import { chooseProfile, leaveRefusing } from './choose-profile.js';
import { makeRoom, type Room } from './make-room.js';
import { recordFailure, recordUnsent } from './model-failure.js';
import { writeOffStarted } from './model-usage.js';
import { passGate } from './pass-gate.js';
import { beginCall, planCall, unpriced } from './plan-call.js';
import { isUsable, recordAnswer } from './record-answer.js';
import { openingChars } from '../conversation/briefing-text.js';
import { mediaFault } from '../conversation/shown-media.js';
import { failedEnd } from '../decide/next-move.js';
import { withBytes } from './load-media.js';
import type { ModelRequest } from '../ports/model.js';
import { isPaused } from '../task/answer-end.js';
import { profileOf } from '../task/profile-of.js';
import type { ModelCallEnd, Run } from './run.js';
import { streamAnswer } from './stream-answer.js';
import { recordUserMessage } from './record-user-message.js';

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
    const room = await makeRoom(run, signal);
    if (room.kind !== 'fits') return room;
    const next = await makeCall(run, room, signal);
    if (next !== 'over') return next;
  }
}

/** Makes one attempt. `over`: it gave nothing, and the next one may start. */
async function makeCall(
  run: Run,
  { request, size }: Room,
  signal: AbortSignal,
): Promise<ModelCallEnd | 'over'> {
  const { state, deps } = run;
  state.proof.assertSendable(state.task.id);
  const fault = mediaFault(request.messages, request);
  if (fault !== null) return { kind: 'ended', outcome: failedEnd('error', 'model_failed', fault, 'request') };
  const whole = await withBytes(run, request);
  const intent = planCall(run, request, {
    phase: state.task.phase,
    context: size,
    historyChars: state.historyChars + openingChars(state.task.briefing),
  });
  if (intent === null) return unpriced(run);
  const stopped = await beginCall(run, intent);
  if (stopped !== null) return stopped;
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
  const answer = await streamAnswer(run, intent.id, whole, messageId, signal);
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
function isHeard({ state: { task, messages } }: Run): boolean {
  return task.phase === 'work' && task.inboxPending > 0 && !isPaused(messages.at(-1));
}
