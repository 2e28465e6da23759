/**
 * How calls come back after a provider key was closed. All who waited would otherwise go out together, and the provider would
 * close it again. The rule, for each worker: two calls may start at once, and each full second without new trouble doubles how
 * many may have started since; after six seconds there is no limit any more.
 */

const FIRST_CALLS = 2;
const STEP_MS = 1_000;
const STEPS = 6;

/**
 * Milliseconds until another call may start; 0: now. `sinceMs` has passed since the key opened, and `started` calls went out
 * since then.
 */
export function rampWaitMs(sinceMs: number, started: number): number {
  const step = Math.max(0, Math.floor(sinceMs / STEP_MS));
  if (step >= STEPS || started < FIRST_CALLS * 2 ** step) return 0;
  return Math.ceil((step + 1) * STEP_MS - sinceMs);
}
