/** Many worlds, one seed after the other. */
import type { UserAct } from './plan.js';
import { runSeed, type OpenBackend, type SeedResult } from './run-seed.js';

export interface SweepOptions {
  /** The first seed; the others follow it. */
  readonly seed: number;
  readonly seeds: number;
  /** No new world is begun after so many seconds. */
  readonly seconds: number;
  /** Failing seeds after which the sweep ends. */
  readonly maxFailures: number;
  readonly signal: AbortSignal;
  /** Keeps what happened in each world, step for step. */
  readonly traced?: boolean;
  readonly open?: OpenBackend;
  /** What people do in each world besides what its seed chooses. */
  readonly acts?: readonly UserAct['kind'][];
}

export interface SweepReport {
  readonly seeds: number;
  readonly tasks: number;
  readonly requests: number;
  readonly waitsForSubtasks: number;
  readonly steps: number;
  /** Virtual processes that died, were stopped for a while, and connections that were lost. */
  readonly faults: number;
  readonly seconds: number;
  /** Worlds in which something did not hold. */
  readonly failures: readonly SeedResult[];
  /** All worlds, when they were to be traced. */
  readonly traces: readonly SeedResult[];
}

/** Runs the seeds until there are enough, time is up or too much has failed. */
export async function sweep(options: SweepOptions): Promise<SweepReport> {
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1_000;
  const sums = { seeds: 0, tasks: 0, requests: 0, waitsForSubtasks: 0, steps: 0, faults: 0 };
  const failures: SeedResult[] = [];
  const traces: SeedResult[] = [];
  const { open, acts = [], traced = false } = options;
  const world = { traced, acts, ...(open === undefined ? {} : { open }) };
  const wanted = () =>
    sums.seeds < options.seeds &&
    elapsed() < options.seconds &&
    failures.length < options.maxFailures &&
    !options.signal.aborted;
  while (wanted()) {
    const seed = options.seed + sums.seeds;
    const result = await runSeed(seed, world);
    sums.seeds += 1;
    sums.tasks += result.tasks;
    sums.requests += result.requests;
    sums.waitsForSubtasks += result.waitsForSubtasks;
    sums.steps += result.steps;
    sums.faults += result.deaths + result.stalls + result.cuts;
    if (result.violations.length > 0) failures.push(result);
    if (traced) traces.push(result);
  }
  return { ...sums, seconds: elapsed(), failures, traces };
}
