/** Waiting for a condition, never for a time. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitForOptions {
  /** What is awaited, for the error: "the task to complete". */
  readonly what: string;
  /** @defaultValue 60000 */
  readonly timeoutMs?: number;
  /** @defaultValue 20 */
  readonly everyMs?: number;
}

/** What a condition gives while it does not hold. */
type NotYet = false | null | undefined;

/**
 * Asks again and again until the condition gives something, and gives that back. Fails naming `what` and the last answer when
 * the time is over; a throw of the condition fails at once.
 */
export async function waitFor<T>(
  condition: () => T | NotYet | Promise<T | NotYet>,
  { what, timeoutMs = 60_000, everyMs = 20 }: WaitForOptions,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== false && value !== null && value !== undefined) return value;
    if (performance.now() > deadline)
      throw new Error(`Waited ${timeoutMs} ms for ${what}; last answer: ${String(value)}`);
    await sleep(everyMs);
  }
}
