/** The provider's own count of a request, where it can be had and trusted. */
import type { CountTokens, ModelRequest } from '@bullpen/core';

/** A count that takes longer is worth less than an estimate. */
const LONGEST_MS = 5_000;

/** Endpoints that do not have it say so at once, others hang or fail: either way it is asked for again only after this time. */
const PAUSE_MS = 10 * 60_000;

export interface TokenCounterOptions {
  /** Asks the endpoint of the request's profile. May throw whatever it likes. */
  readonly ask: (request: ModelRequest, signal: AbortSignal) => Promise<number>;
  /** A signal that fires after so many ms. @defaultValue the process's */
  readonly timeout?: (ms: number) => AbortSignal;
  /** Milliseconds of a clock that only goes forward. @defaultValue the process's */
  readonly now?: () => number;
}

/**
 * Counts for the tasks of one process. Its failures stay here: a count is no model call, so that it pauses no provider and uses up no
 * attempt.
 */
export class TokenCounter implements CountTokens {
  private readonly distrusted = new Set<string>();
  private readonly pausedUntil = new Map<string, number>();
  private readonly now: () => number;
  private readonly timeout: (ms: number) => AbortSignal;

  constructor(private readonly options: TokenCounterOptions) {
    this.now = options.now ?? (() => performance.now());
    this.timeout = options.timeout ?? ((ms) => AbortSignal.timeout(ms));
  }

  async count(request: ModelRequest, signal: AbortSignal): Promise<number | null> {
    const { name } = request;
    if (this.distrusted.has(name) || (this.pausedUntil.get(name) ?? 0) > this.now()) return null;
    try {
      const tokens = await this.options.ask(request, AbortSignal.any([signal, this.timeout(LONGEST_MS)]));
      if (!Number.isSafeInteger(tokens) || tokens <= 0) throw new RangeError(`${tokens} is no count`);
      return tokens;
    } catch {
      // Whatever it was, the estimate has to do. A run that was stopped says nothing about the endpoint.
      if (!signal.aborted) this.pausedUntil.set(name, this.now() + PAUSE_MS);
      return null;
    }
  }

  distrust(profile: string): boolean {
    const isNew = !this.distrusted.has(profile);
    this.distrusted.add(profile);
    return isNew;
  }
}
