/** What a failed model call means: try again (when, and where to wait), or not. */
import type { ModelError } from './model.js';

/** Bounds of waiting and trying. Times in ms. */
export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
  /** Longer waits give up the worker slot. */
  readonly inPlaceMs: number;
}

/** Full jitter from 1 s to 600 s, five attempts a call, waits over 30 s give the slot back. */
export const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 5,
  baseMs: 1_000,
  maxMs: 600_000,
  inPlaceMs: 30_000,
};

export type RetryDecision =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly where: 'in_place' | 'suspended' }
  /** The provider account needs a person (key, credit): the task waits and looks again after `delayMs`. */
  | { readonly kind: 'park'; readonly delayMs: number }
  | { readonly kind: 'fail' };

/** How often a parked task looks whether the provider account was mended. */
const PARK_MS = 60_000;

/**
 * Decides after the failure of attempt number `attempt` (from 1) of its error class.
 * `random` gives numbers in [0, 1); the provider's own wish is the floor of the delay.
 */
export function decideRetry(
  error: ModelError,
  attempt: number,
  policy: RetryPolicy,
  random: () => number,
): RetryDecision {
  switch (error.class) {
    case 'rate_limit':
    case 'overload':
    case 'network': {
      if (attempt >= policy.maxAttempts) return { kind: 'fail' };
      const delayMs = Math.max(backoffMs(attempt, policy, random), error.retryAfterMs ?? 0);
      return { kind: 'retry', delayMs, where: delayMs > policy.inPlaceMs ? 'suspended' : 'in_place' };
    }
    case 'authentication':
    case 'billing':
      return { kind: 'park', delayMs: Math.max(PARK_MS, error.retryAfterMs ?? 0) };
    case 'context':
    case 'request':
    case 'aborted':
      return { kind: 'fail' };
  }
}

/** Full jitter: uniform between 0 and the exponential bound, but never under the base. */
function backoffMs(attempt: number, policy: RetryPolicy, random: () => number): number {
  const bound = Math.min(policy.maxMs, policy.baseMs * 2 ** attempt);
  return Math.round(policy.baseMs + random() * (bound - policy.baseMs));
}
