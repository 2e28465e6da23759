/** The provider's limits a minute: told in the headers of every answer, and kept to where a scenario says so. */
import { z } from 'zod';
import type { CannedResponse } from './faults/canned-response.js';

const WINDOW_MS = 60_000;
/** Limits a minute, of a middling usage tier. */
const USUAL = { requests: 4_000, 'input-tokens': 2_000_000, 'output-tokens': 400_000 } as const;
type Bucket = keyof typeof USUAL;

const count = z.int().positive();

/** What a scenario limits; without one, only the window of the model is kept to. */
export const ScenarioLimits = z.strictObject({
  /** Tokens that a request and its answer may have together. @defaultValue that of the model */
  window: count.optional(),
  requestsPerMinute: count.optional(),
  /** What is read from the cache does not count. */
  inputTokensPerMinute: count.optional(),
  outputTokensPerMinute: count.optional(),
});
export type ScenarioLimits = z.infer<typeof ScenarioLimits>;

export class RateLimits {
  private windowStart = 0;
  private used: Record<Bucket, number> = { requests: 0, 'input-tokens': 0, 'output-tokens': 0 };
  private readonly enforced: Partial<Record<Bucket, number | undefined>>;

  constructor(
    private readonly now: () => number,
    limits: ScenarioLimits = {},
  ) {
    this.enforced = {
      requests: limits.requestsPerMinute,
      'input-tokens': limits.inputTokensPerMinute,
      'output-tokens': limits.outputTokensPerMinute,
    };
  }

  /** Counts what a request used. */
  count(bucket: Bucket, amount: number): void {
    this.rollOver();
    this.used[bucket] += amount;
  }

  /** The 429 for a request with so many tokens that are not in the cache; undefined when it fits into this minute. */
  refusal(inputTokens: number): CannedResponse | undefined {
    this.rollOver();
    // How long an answer will be nobody knows before: it is refused when the minute's tokens are used up.
    const wanted: Record<Bucket, number> = { requests: 1, 'input-tokens': inputTokens, 'output-tokens': 1 };
    const full = bucketsOf(this.enforced).find(
      ([bucket, limit]) => limit !== undefined && this.used[bucket] + wanted[bucket] > limit,
    );
    if (full === undefined) return undefined;
    const [bucket, limit = 0] = full;
    const message = `This request would exceed your organization's rate limit of ${limit.toLocaleString('en-US')} ${bucket.replace('-', ' ')} per minute. Please reduce the prompt length or the maximum tokens requested, or try again later.`;
    const seconds = Math.max(1, Math.ceil((this.windowStart + WINDOW_MS - this.now()) / 1_000));
    return {
      status: 429,
      headers: { 'retry-after': String(seconds) },
      body: { errorType: 'rate_limit_error', message },
    };
  }

  /** The headers for an answer sent now. Remaining tokens are rounded to thousands, as at the provider. */
  headers(): Record<string, string> {
    this.rollOver();
    const reset = new Date(this.windowStart + WINDOW_MS).toISOString().replace(/\.\d+Z$/, 'Z');
    const headers: Record<string, string> = {};
    for (const [bucket, usual] of bucketsOf(USUAL)) {
      const limit = this.enforced[bucket] ?? usual ?? 0;
      const left = Math.max(0, limit - this.used[bucket]);
      headers[`anthropic-ratelimit-${bucket}-limit`] = String(limit);
      headers[`anthropic-ratelimit-${bucket}-remaining`] = String(
        bucket === 'requests' ? left : Math.round(left / 1_000) * 1_000,
      );
      headers[`anthropic-ratelimit-${bucket}-reset`] = reset;
    }
    return headers;
  }

  private rollOver(): void {
    if (this.now() - this.windowStart < WINDOW_MS) return;
    this.windowStart = this.now();
    this.used = { requests: 0, 'input-tokens': 0, 'output-tokens': 0 };
  }
}

function bucketsOf(limits: Partial<Record<Bucket, number | undefined>>): [Bucket, number | undefined][] {
  return Object.entries(limits) as [Bucket, number | undefined][];
}
