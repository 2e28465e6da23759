/**
 * Asks the helper's model which mode the user's words mean, where the rules are unsure: one short call, with its intent, its reservation and
 * its price as any other. Only a task with a helper profile does. What comes of no use changes nothing: the task stays as the rules have it.
 */
import type { ModeDefinition } from '@bullpen/contracts';
import type { Suggestion } from '../decide/intent/suggest-mode.js';
import { INTENT_SYSTEM, intentQuestion, modeNamedIn } from '../conversation/intent-question.js';
import type { ModelRequest } from '../ports/model.js';
import { isWholeEnd } from '../task/answer-end.js';
import type { ModelCallRecord } from '../task/task.js';
import { preview } from '../task/text.js';
import type { Recording } from './draft.js';
import { openHelper } from './helper-request.js';
import { recordUnsent } from './model-failure.js';
import { settle, wasted } from './model-usage.js';
import { planCall } from './plan-call.js';
import type { Run } from './run.js';
import { streamAnswer, type StreamedAnswer } from './stream-answer.js';

/** The error class of a reply that named no mode. In the same turn, nobody is asked again. */
const UNCLEAR = 'unclear';

export interface Understood {
  readonly suggestion: Suggestion;
  /** The call and its price, to be stored with what comes of it. */
  readonly paid: Recording;
}

/** What the words mean, out of these modes; null where nobody can be asked, or nothing came of it. */
export async function askIntent(
  run: Run,
  text: string,
  modes: readonly ModeDefinition[],
  signal: AbortSignal,
): Promise<Understood | null> {
  const { state } = run;
  const request = requestTo(run, intentQuestion(text, modes));
  if (request === null) return null;
  const size = JSON.stringify(request.messages).length;
  const intent = planCall(run, request, { phase: 'intent', context: null, historyChars: size });
  if (intent === null || !(await isBegun(run, intent))) return null;
  const answer = await streamAnswer(run, intent.id, request, null, signal);
  const isWhole = answer.error === null && isWholeEnd(answer.stopReason, false);
  const mode = isWhole ? modeNamedIn(answer.text, modes) : null;
  if (mode === null) {
    state.record(vainCall(run, intent, answer));
    return null;
  }
  const reason = `${request.model} takes it for ${mode.name}`;
  return {
    suggestion: { mode: mode.name, confidence: 0.8, isSure: true, reason, others: [] },
    paid: settle(run, intent, answer, { status: 'done', stopReason: answer.stopReason }),
  };
}

function requestTo(run: Run, question: string): ModelRequest | null {
  const helper = openHelper(run);
  const wasAsked = run.state.modelCalls.some(({ errorClass }) => errorClass === UNCLEAR);
  if (helper === null || wasAsked) return null;
  return {
    ...helper,
    ...{ system: INTENT_SYSTEM, tools: [], toolChoice: { type: 'none' } },
    messages: [{ role: 'user', content: [{ type: 'text', text: question }] }],
  };
}

/** False when there is no money for it, or the task has to stop: it is no reason to wait or to ask. */
async function isBegun(run: Run, intent: ModelCallRecord): Promise<boolean> {
  const pieces = { modelCalls: [intent], reserveNanoUsd: intent.reservedNanoUsd };
  if ((await run.state.commit(pieces)).kind === 'over_budget') return false;
  if (!run.state.mustStop()) return true;
  recordUnsent(run, intent, 'the task has to stop');
  return false;
}

/** It may have been paid for, and is of no use. One that we cut off ourselves may be asked again. */
function vainCall(run: Run, intent: ModelCallRecord, answer: StreamedAnswer): Recording {
  const isCutOff = answer.error?.class === 'aborted';
  const errorMessage = preview(answer.error?.message ?? `It named none of the modes: ${answer.text}`, 500);
  return wasted(run, intent, answer, {
    status: isCutOff ? 'abandoned' : 'failed',
    errorClass: isCutOff ? 'aborted' : UNCLEAR,
    errorMessage,
  });
}
