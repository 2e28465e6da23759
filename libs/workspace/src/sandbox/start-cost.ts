/** What it costs to start a command in a sandbox: side by side with none, since a machine is never as busy twice. */
import { Trial, type TrialOptions } from './trial.js';
import type { Sandbox } from './sandbox.js';
import { unboxed } from './unboxed.js';

export interface StartCost {
  readonly starts: number;
  /** Medians of a command that does nothing, from its start to its end. */
  readonly boxedMs: number;
  readonly unboxedMs: number;
  readonly differenceMs: number;
}

/** Medians in ms, in the box and without one, over so many starts each. Runs commands one after the other, and takes seconds. */
export async function startCost(sandbox: Sandbox, options: TrialOptions, starts = 50): Promise<StartCost> {
  const trial = new Trial(options, 'cost');
  const times = { boxed: [] as number[], unboxed: [] as number[] };
  const none = unboxed();
  // The first of each pays for what is made once.
  for (let count = -1; count < starts; count += 1) {
    const boxed = await timed(() => trial.run(sandbox, 'true'));
    const bare = await timed(() => trial.run(none, 'true'));
    if (count < 0) continue;
    times.boxed.push(boxed);
    times.unboxed.push(bare);
  }
  const [boxedMs, unboxedMs] = [median(times.boxed), median(times.unboxed)];
  return { starts, boxedMs, unboxedMs, differenceMs: round(boxedMs - unboxedMs) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function median(times: number[]): number {
  return round(times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0);
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
