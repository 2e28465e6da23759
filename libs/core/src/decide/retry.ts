/** What a failed model call means: try again (when, and where to wait), or not. */
import type { RetryPolicy } from '@bullpen/contracts';
import type { ModelError } from '../ports/model.js';

/** Longer waits give up the worker slot, in ms. */
export const IN_PLACE_MS = 30_000;

export type RetryDecision =
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** This attempt at the task has used up its tries; another attempt may begin after `delayMs`. */
  | { readonly kind: 'exhausted'; readonly delayMs: number }
  /** The provider account needs a person (key, credit, spend cap): nothing goes on until it is fixed. */
  | { readonly kind: 'park' }
  | { readonly kind: 'fail' };

/** How many tries a task has used. */
export interface Tries {
  /** Failures of this error class in the present turn and attempt, this one included. */
  readonly ofClass: number;
  /** Earlier attempts at the task that started automatically. */
  readonly retries: number;
}

/**
 * Decides after a failure. `random` gives numbers in [0, 1); the delay is at least what the provider asked for. Each class has its
 * own count: a rate limit never uses up the tries that are meant for a broken network.
 */
export function decideRetry(
  error: ModelError,
  { ofClass, retries }: Tries,
  policy: RetryPolicy,
  random: () => number,
): RetryDecision {
  switch (error.class) {
    case 'rate_limit':
    case 'overload':
    case 'network': {
      const floorMs = error.retryAfterMs ?? 0;
      if (ofClass < policy.modelAttempts)
        return { kind: 'retry', delayMs: Math.max(backoffMs(ofClass, policy, random), floorMs) };
      if (retries + 1 >= policy.taskAttempts) return { kind: 'fail' };
      // The next attempt starts with the delay that this one had reached.
      const delayMs = Math.max(backoffMs(ofClass + retries, policy, random), floorMs);
      return { kind: 'exhausted', delayMs };
    }
    case 'thinking':
      // Once, without it.
      return ofClass === 1 ? { kind: 'retry', delayMs: 0 } : { kind: 'fail' };
    case 'authentication':
    case 'billing':
      return { kind: 'park' };
    case 'context':
      // It is made shorter first; how often, is decided there.
      return { kind: 'retry', delayMs: 0 };
    case 'request':
    case 'aborted':
      return { kind: 'fail' };
  }
}

/** Full jitter: uniform between the base and the exponential bound. `tries` counts from 1. */
function backoffMs(tries: number, policy: RetryPolicy, random: () => number): number {
  const bound = Math.max(policy.baseMs, Math.min(policy.maxMs, policy.baseMs * 2 ** tries));
  return Math.round(policy.baseMs + random() * (bound - policy.baseMs));
}
