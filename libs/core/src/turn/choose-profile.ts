/** Takes a task to another profile of its chain when the one that answers cannot, and back to the first one later. */
import type { ModelProfile } from '@bullpen/contracts';
import { contextSize } from '../context/size.js';
import { buildRequest } from '../conversation/request.js';
import type { StreamedAnswer } from './stream-answer.js';
import { nextProfile, routeAfter, type ProfileChoice } from '../decide/fallback.js';
import { chainOf, isOnItsOwn, profileOf } from '../task/profile-of.js';
import type { ModelCallRecord } from '../task/task.js';
import { settle } from './model-usage.js';
import type { Recording } from './draft.js';
import type { Run } from './run.js';

/** Decides where the next request goes. True when that is another profile than before. */
export function chooseProfile(run: Run): boolean {
  const { state } = run;
  const profiles = [...chainOf(state.task)];
  if (profiles.length < 2) return false;
  const { index, skipped } = choiceOf(run, profiles);
  if (index === null || index === (state.task.route?.active ?? 0)) return false;
  state.record({ events: skipped.map((data) => ({ type: 'profile.skipped' as const, data })) });
  const { version = 0, since = 0, until = null } = state.storedRoute ?? {};
  state.follow({ version, profiles, active: index, since, until });
  return true;
}

function choiceOf(
  run: Run,
  chain: readonly ModelProfile[],
  more: readonly ModelCallRecord[] = [],
): ProfileChoice {
  const { state, deps } = run;
  const { task } = state;
  const failures = [...state.modelCalls, ...more].filter(
    ({ status, taskAttempt }) => status === 'failed' && taskAttempt === task.attempt,
  );
  return nextProfile({
    chain,
    stored: state.storedRoute,
    failures,
    modelAttempts: task.definition.retry.modelAttempts,
    now: deps.now(),
    closedFor: (profile) => {
      if (isOnItsOwn(profile)) return 0;
      const gate = deps.gate.look(profile.model);
      return gate.kind === 'parked' ? Infinity : gate.kind === 'open' ? 0 : gate.forMs;
    },
    unfit: (profile) => unfitFor(run, profile),
  });
}

/** A history that is larger than the window would be refused; the one that it was made for reduces it. */
function unfitFor(run: Run, profile: ModelProfile): string | null {
  const { tokens, budget } = contextSize(
    { ...buildRequest(run.state, run.tools), maxOutputTokens: profile.maxOutputTokens },
    profile.contextWindow,
    null,
  );
  return tokens <= budget
    ? null
    : `The conversation has about ${tokens} tokens, and ${profile.name} takes ${budget}.`;
}

/** What is stored with an answer: that its profile is now the one that answers. */
export function acceptProfile({ state, deps }: Run, seq: number): Recording {
  const { route } = state.task;
  if (route === null) return {};
  const failures = state.modelCalls.filter(({ status }) => status === 'failed');
  const tried = failures.map(({ profile }) => profile);
  const next = routeAfter(route, state.storedRoute, { seq, now: deps.now(), tried });
  if (next === null) return {};
  const from = route.profiles[state.storedRoute?.active ?? 0]?.name ?? '';
  const to = profileOf(state.task).name;
  if (from === to) return { patch: { route: next } };
  const reason = failures.at(-1)?.errorClass ?? 'recovered';
  const by = next.active === 0 ? ('return' as const) : ('fallback' as const);
  return { patch: { route: next }, events: [{ type: 'profile.switched', data: { from, to, by, reason } }] };
}

/**
 * A refusal that another profile may take over: paid for, and a failure like any other. Null when it is the end, because the profile does not
 * say so or nobody is left.
 */
export function leaveRefusing(run: Run, intent: ModelCallRecord, answer: StreamedAnswer): Recording | null {
  const { state } = run;
  if (!answer.complete || answer.stopReason !== 'refusal' || !profileOf(state.task).fallbackOnRefusal)
    return null;
  const settled = settle(run, intent, answer, { status: 'failed', stopReason: 'refusal' });
  const failed = (settled.modelCalls ?? []).map((call) => ({
    ...call,
    errorClass: 'refusal',
    errorMessage: answer.text,
  }));
  const { index } = choiceOf(run, [...chainOf(state.task)], failed);
  return index === null ? null : { ...settled, modelCalls: failed };
}
