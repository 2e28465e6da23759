/** What follows an attempt: it arrived, another one is due later, or that was the last. Pure. */
import type { SendResult } from './send.js';

export type Verdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'failed' }
  /** The receiver wants no more messages, ever. */
  | { readonly kind: 'gone' };

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** Waits between attempts: eight of them within 28 hours, as Standard Webhooks proposes, in ms. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** A receiver may ask for a longer wait than the schedule's, up to this one. */
const LONGEST_WAIT_MS = 10 * HOUR;

/**
 * Judges an attempt, the `tried`-th of its round. Waits vary by a fifth up and down, so that messages that failed together do
 * not come back together. `random` is from 0 to 1.
 */
export function judgeAttempt(
  result: SendResult,
  tried: number,
  random: number,
  delaysMs: readonly number[] = RETRY_DELAYS_MS,
): Verdict {
  const { status } = result;
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'gone' };
  const delayMs = delaysMs[tried - 1];
  if (delayMs === undefined) return { kind: 'failed' };
  const asked = Math.min(result.retryAfterMs ?? 0, LONGEST_WAIT_MS);
  return { kind: 'retry', delayMs: Math.round(Math.max(delayMs * (0.8 + 0.4 * random), asked)) };
}
