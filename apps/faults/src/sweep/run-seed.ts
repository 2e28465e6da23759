/** One world from one seed, and its judgement. */
import type { Backend, TellWakes } from './backend.js';
import { checkWorld } from './check-world.js';
import { randomFaults, type FaultSource } from './faults.js';
import { MemoryBackend } from './memory-backend.js';
import { randomPlan, type Plan, type UserAct } from './plan.js';
import { Random } from './random.js';
import type { Violation } from './witness.js';
import type { Surroundings } from './surroundings.js';
import { World, type WorldCounts } from './world.js';

export type OpenBackend = (tell: TellWakes, world: Surroundings) => Backend;

export interface SeedResult extends WorldCounts {
  readonly seed: number;
  readonly tasks: number;
  readonly requests: number;
  readonly waitsForSubtasks: number;
  readonly violations: readonly Violation[];
  /** Empty unless it was asked for. */
  readonly trace: readonly string[];
}

export interface SeedOptions {
  readonly open?: OpenBackend;
  readonly traced?: boolean;
  /** What is given stands in place of what the seed would choose. */
  readonly plan?: Plan;
  /** What people do besides. */
  readonly acts?: readonly UserAct['kind'][];
  readonly faults?: FaultSource;
}

const inMemory: OpenBackend = (tell) => new MemoryBackend(tell);

/** Runs the world of a seed. In memory the same seed gives the same world, step for step. */
export async function runSeed(seed: number, options: SeedOptions = {}): Promise<SeedResult> {
  const random = new Random(seed);
  const plan = randomPlan(random.fork(), options.acts);
  const faults = randomFaults(random.fork());
  const trace: string[] = [];
  const world = new World({
    name: `${seed}n`,
    plan: options.plan ?? plan,
    faults: options.faults ?? faults,
    random: random.fork(),
    open: options.open ?? inMemory,
    trace: options.traced === true ? (line) => trace.push(line()) : () => undefined,
  });
  const { witness, backend, counts } = world;
  const end = await world.run();
  if (end === 'stuck') witness.object('stuck', `the world did not come to its end in ${counts.steps} steps`);
  checkWorld(await backend.view(), witness);
  for (const text of await backend.selfCheck()) witness.object('other', text);
  return {
    seed,
    ...counts,
    tasks: witness.tasks.size,
    requests: witness.requests,
    waitsForSubtasks: witness.waitsForSubtasks,
    violations: witness.violations,
    trace,
  };
}
