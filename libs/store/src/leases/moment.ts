/** Points in time that the threads of a process share, for the question how long ago something was. */

export interface Moment {
  /** Runs on while the process is stopped, and is never set; stands still while the machine sleeps. In ms. */
  readonly steadyMs: number;
  /** Runs on while the machine sleeps, but may be set. In ms. */
  readonly wallMs: number;
}

/** Not `performance.now()`: that counts from the start of each thread. */
export function momentNow(): Moment {
  return { steadyMs: Number(process.hrtime.bigint() / 1_000n) / 1_000, wallMs: Date.now() };
}

/** The longest time that may have passed since a moment, in ms: a lease runs on whichever clock runs. */
export function msSince(then: Moment, now: Moment = momentNow()): number {
  return Math.max(now.steadyMs - then.steadyMs, now.wallMs - then.wallMs);
}
