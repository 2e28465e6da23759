/** Calls that only help a task, such as the one that sums it up, on a profile of their own: cheaper, or with a larger window. */
import type { ModelProfile } from '@bullpen/contracts';
import { contextSize, isOverThreshold } from '../context/size.js';
import { asSeen } from '../conversation/shown-media.js';
import { asText } from '../conversation/xml-dialect.js';
import type { ModelRequest } from '../ports/model.js';
import { isOnItsOwn, profileOf } from '../task/profile-of.js';
import type { Run } from './run.js';

/** The error class of a call of the helper that came to nothing: the task's own profile makes it then. */
export const HELPED_IN_VAIN = 'helper';

/** The helper profile of the task, where it has one that takes calls now. */
export function openHelper({ state, deps }: Run): ModelProfile | null {
  const { helper } = state.task.definition;
  return helper !== null && (isOnItsOwn(helper) || deps.gate.look(helper.model).kind === 'open')
    ? helper
    : null;
}

/**
 * The request as the helper gets it, or null where the task's own profile has to make it: there is no helper, it takes no calls now, it has failed in
 * this turn, or its window is too small. Calls and results are text for it, and no model sees what another has thought; so every
 * model can read every conversation.
 */
export function helperRequest(run: Run, request: ModelRequest): ModelRequest | null {
  const { state } = run;
  const helper = openHelper(run);
  if (helper === null || helper.name === profileOf(state.task).name) return null;
  const hasFailed = state.modelCalls.some(
    ({ errorClass, taskAttempt }) => errorClass === HELPED_IN_VAIN && taskAttempt === state.task.attempt,
  );
  if (hasFailed) return null;
  const { callsInText: _, ...rest } = request;
  const helped: ModelRequest = {
    ...rest,
    ...helper,
    ...{ tools: [], toolChoice: { type: 'none' }, messages: asSeen(request.messages.map(asText), helper) },
  };
  return isOverThreshold(contextSize(helped, helper.contextWindow, null)) ? null : helped;
}
