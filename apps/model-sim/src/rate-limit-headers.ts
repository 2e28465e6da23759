/** The rate-limit headers of the real API. The simulator counts, but never refuses on its own: that takes a fault. */
const WINDOW_MS = 60_000;
/** Limits a minute, of a middling usage tier. */
const LIMITS = { requests: 4_000, 'input-tokens': 2_000_000, 'output-tokens': 400_000 } as const;
type Bucket = keyof typeof LIMITS;

export class RateLimitHeaders {
  private windowStart = 0;
  private used: Record<Bucket, number> = { requests: 0, 'input-tokens': 0, 'output-tokens': 0 };

  constructor(private readonly now: () => number) {}

  /** Counts what a request used. */
  count(bucket: Bucket, amount: number): void {
    this.rollOver();
    this.used[bucket] += amount;
  }

  /** The headers for an answer sent now. Remaining tokens are rounded to thousands, as at the provider. */
  headers(): Record<string, string> {
    this.rollOver();
    const reset = new Date(this.windowStart + WINDOW_MS).toISOString().replace(/\.\d+Z$/, 'Z');
    const headers: Record<string, string> = {};
    for (const [bucket, limit] of Object.entries(LIMITS) as Array<[Bucket, number]>) {
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
