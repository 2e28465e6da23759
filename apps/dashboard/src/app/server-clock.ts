/**
 * The gateway's clock. Times in the record are the gateway's, so spans are measured by it: a browser whose clock is minutes off would show
 * tasks that run for a negative time.
 */

/** The header `Date` has whole seconds, and an answer takes a while: below this, nothing is known to differ. In ms. */
const BLUR_MS = 2_000;

let offsetMs = 0;

/** How far the server's clock is ahead of this one's; 0 when the difference is within what can be known. */
export function offsetOf(header: string | null, now: number): number | null {
  const at = Date.parse(header ?? '');
  if (Number.isNaN(at)) return null;
  const difference = at + 500 - now;
  return Math.abs(difference) > BLUR_MS ? difference : 0;
}

export function noteServerTime(header: string | null): void {
  offsetMs = offsetOf(header, Date.now()) ?? offsetMs;
}

/** Now, in ms, by the gateway's clock. */
export function serverNow(): number {
  return Date.now() + offsetMs;
}
