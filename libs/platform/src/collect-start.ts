/**
 * Starting a process leaves a lot behind: modules are read, compiled and checked, schemas and routes are built. The engine collects it when the
 * heap has grown by half, which takes hours in a process that has nothing to do. So it is collected when the start is over.
 */
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** By then the first requests have been answered, and what was made for the start only is free. */
const AFTER_MS = 15_000;
/** The engine gives pages back to the system only with the next collection. */
const AGAIN_MS = 2_000;

/** Of its time, what a process may be at work when it is stopped for this. */
const QUIET = 0.2;

/** To be called when the process is ready. Keeps nothing alive; stops the process for about a fifth of a second, twice, when it has little to do. */
export function collectStart(afterMs = AFTER_MS, collect = collectGarbage): void {
  whenQuiet(afterMs, () => {
    collect();
    whenQuiet(AGAIN_MS, collect);
  });
}

/** Looks after each time of this length whether the process had little to do in it: a thousand streams would all wait for the collection. */
function whenQuiet(ms: number, work: () => void): void {
  const before = performance.eventLoopUtilization();
  setTimeout(() => {
    if (performance.eventLoopUtilization(before).utilization < QUIET) work();
    else whenQuiet(ms, work);
  }, ms).unref();
}

function collectGarbage(): void {
  // Reached by a flag, which may be set while the process runs and counts for contexts that are made after it.
  setFlagsFromString('--expose-gc');
  // What is left is moved together. By itself the engine leaves pages with holes as they are: a sixth of an idle gateway.
  setFlagsFromString('--compact-on-every-full-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-compact-on-every-full-gc');
}
