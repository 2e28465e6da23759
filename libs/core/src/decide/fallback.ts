/** Which profile of a task's chain gets its next request. Pure. */
import type { ModelProfile, ModelRoute } from '@bullpen/contracts';
import type { ModelCallRecord } from '../task/task.js';
import { IN_PLACE_MS } from './retry.js';

/** How long a fallback answers before the profiles in front of it are tried again, in ms. */
const STAY_MS = 600_000;

/** After these another profile may do better: the provider is busy, cannot be reached, or does not want to. */
const LEAVING = new Set(['rate_limit', 'overload', 'network', 'refusal']);

export interface FallbackView {
  readonly chain: readonly ModelProfile[];
  /** The one that gave the newest answer, and when those in front of it are tried again; null: the first one. */
  readonly stored: Pick<ModelRoute, 'active' | 'until'> | null;
  /** Failed calls of this turn in the present attempt at the task. */
  readonly failures: readonly ModelCallRecord[];
  /** Tries that one profile has. */
  readonly modelAttempts: number;
  readonly now: number;
  /** How long a profile takes no calls, in ms. */
  readonly closedFor: (profile: ModelProfile) => number;
  /** Why the task cannot go on with a profile; null when it can. */
  readonly unfit: (profile: ModelProfile) => string | null;
}

export interface ProfileChoice {
  /** Null: none can, so the task waits where it is. */
  readonly index: number | null;
  readonly skipped: readonly { readonly profile: string; readonly reason: string }[];
}

/**
 * The first profile that may answer soon: from the one that answered last on, or when its time is over from the first one on.
 */
export function nextProfile(view: FallbackView): ProfileChoice {
  const { chain, closedFor, unfit } = view;
  const home = view.stored?.active ?? 0;
  const start = isDue(view) ? 0 : home;
  const skipped: { profile: string; reason: string }[] = [];
  for (let step = 0; step < chain.length; step += 1) {
    const index = (start + step) % chain.length;
    const profile = chain[index];
    if (profile === undefined || isSpent(profile, index !== home && index < home, view)) continue;
    if (closedFor(profile) > IN_PLACE_MS) continue;
    const reason = index === home ? null : unfit(profile);
    if (reason === null) return { index, skipped };
    skipped.push({ profile: profile.name, reason });
  }
  return { index: null, skipped };
}

/** The route after an answer; null when it stays as it is stored. `tried`: the profiles that failed before it in the same turn. */
export function routeAfter(
  current: ModelRoute,
  stored: ModelRoute | null,
  { seq, now, tried }: { readonly seq: number; readonly now: number; readonly tried: readonly string[] },
): ModelRoute | null {
  const [before, after] = [stored?.active ?? 0, current.active];
  const inVain = current.profiles.slice(0, after).some(({ name }) => tried.includes(name));
  if (before === after && !inVain) return null;
  const modelOf = (index: number) => current.profiles[index]?.model;
  return {
    ...current,
    version: (stored?.version ?? 0) + 1,
    since: modelOf(before) === modelOf(after) ? (stored?.since ?? 0) : seq,
    until: after === 0 ? null : new Date(now + STAY_MS).toISOString(),
  };
}

function isDue({ stored, now }: Pick<FallbackView, 'stored' | 'now'>): boolean {
  const until = stored?.until ?? null;
  return until !== null && Date.parse(until) <= now;
}

/** It has had its tries, or the next one would be too late; one that is only tried again has a single one. */
function isSpent(
  { name }: ModelProfile,
  isTried: boolean,
  { failures, modelAttempts }: FallbackView,
): boolean {
  const own = failures.filter(({ profile, errorClass }) => profile === name && LEAVING.has(errorClass ?? ''));
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return false;
  if (isTried || own.length >= modelAttempts || last.errorClass === 'refusal') return true;
  const nextTryAt = (last.endedAt ?? last.startedAt).getTime() + (last.retryDelayMs ?? 0);
  return nextTryAt - first.startedAt.getTime() > IN_PLACE_MS;
}
