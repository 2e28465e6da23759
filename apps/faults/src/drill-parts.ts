/** Runs one drill on one backend, with an end to its patience. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Drill, DrillContext, Tally } from './drill.js';
import type { Form, SuiteOptions } from './options.js';
import { Random } from './sweep/random.js';

/** How much a drill does in each form. */
const SCALE: Record<Form, number> = { short: 0.4, default: 1, full: 3, mutants: 1 };
/** A drill that is told to stop has this long to clean up. */
const CLEANUP_MS = 30_000;

/** The drills that these options ask for. */
export function chosenDrills(drills: readonly Drill[], { form, only }: SuiteOptions): readonly Drill[] {
  if (only !== null) return drills.filter(({ id }) => only.includes(id));
  return form === 'mutants' ? [] : drills.filter(({ forms }) => forms.includes(form));
}

/**
 * Runs it. It is told to stop when three times its worst case is over.
 * @throws Error when it fails, and when it does not come to its end.
 */
export async function runDrill(
  drill: Drill,
  backend: DrillContext['backend'],
  { form, seed }: SuiteOptions,
  stop: AbortSignal,
  log: (line: string) => void,
): Promise<Tally> {
  const scale = SCALE[form];
  const patienceMs = 3 * drill.seconds * Math.max(1, scale) * 1_000;
  const late = new AbortController();
  const signal = AbortSignal.any([stop, late.signal]);
  setMaxListeners(0, signal); // A drill waits for dozens of things at a time.
  const over = new AbortController();
  const random = new Random(seed);
  const work = drill.run({ backend, seed, random: () => random.next(), log, signal, scale });
  const patience = async (): Promise<never> => {
    await sleep(patienceMs, undefined, { signal: over.signal });
    late.abort();
    await sleep(CLEANUP_MS, undefined, { signal: over.signal });
    throw new Error(`it did not stop ${(patienceMs + CLEANUP_MS) / 1_000} s after its start`);
  };
  try {
    return await Promise.race([work, patience()]);
  } catch (error) {
    if (!late.signal.aborted || (error as Error).name !== 'AbortError') throw error;
    throw new Error(`it was stopped after ${patienceMs / 1_000} s, before it came to its end`, {
      cause: error,
    });
  } finally {
    over.abort();
  }
}
