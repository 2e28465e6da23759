/** Port: asks the provider how many tokens a request is. It is only asked where an estimate could decide wrongly. */
import type { ModelRequest } from './model.js';

export interface CountTokens {
  /**
   * The whole prompt of a request, system prompt and tools too. Null when that cannot be said, or when the profile is not to be asked:
   * after a failure for a while, and after `distrust` for good. Contract for implementers: it never throws, never retries, and gives up
   * after a few seconds.
   */
  count(request: ModelRequest, signal: AbortSignal): Promise<number | null>;
  /** An answer was billed for much more than the count of its request. True the first time for this profile. */
  distrust(profile: string): boolean;
}
