/** The sweeps as parts of the suite: worlds in memory, with every place of a fault, and worlds on a real Postgres. */
import type { Tally } from './drill.js';
import type { Form, SuiteOptions } from './options.js';
import type { ScratchPostgres } from './store-sweep/scratch-postgres.js';
import { sweepPostgres } from './store-sweep/sweep-postgres.js';
import { sweepEveryPlace } from './sweep/exhaustive.js';
import { runSeed, type SeedResult } from './sweep/run-seed.js';
import { sweep, type SweepReport } from './sweep/sweep.js';
import type { ViolationKind } from './sweep/witness.js';

export const SWEEP_ID = 'X1';
export const STORE_SWEEP_ID = 'X1-store';

interface Size {
  readonly seeds: number;
  /** No world is begun after so many seconds. */
  readonly seconds: number;
}

const MEMORY: Record<Form, Size> = {
  short: { seeds: 5_000, seconds: 60 },
  default: { seeds: 5_000, seconds: 180 },
  full: { seeds: 50_000, seconds: 900 },
  mutants: { seeds: 0, seconds: 0 },
};
const POSTGRES: Record<Form, Size> = {
  short: { seeds: 200, seconds: 45 },
  default: { seeds: 400, seconds: 150 },
  full: { seeds: 3_000, seconds: 900 },
  mutants: { seeds: 0, seconds: 0 },
};
const LANES = 2;
const MAX_FAILURES = 5;
/** Lines of a trace that are shown without being asked for. */
const TRACE_TAIL = 60;

export interface SweepContext {
  readonly options: SuiteOptions;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

export interface SweepResult {
  readonly tally: Tally;
  readonly seeds: number;
  readonly detail: string;
}

/** Worlds in memory, then every place of a fault. With one seed asked for: only that one, with its trace. */
export async function memoryPart(context: SweepContext): Promise<SweepResult> {
  const { options, signal, log } = context;
  const size = sizeOf(MEMORY, options);
  const traced = size.seeds === 1;
  const report = await sweep({ ...size, seed: options.seed, maxFailures: MAX_FAILURES, signal, traced });
  const places = options.seeds === null ? await sweepEveryPlace(options.seed, signal) : [];
  const exhaustive = places.flatMap(({ failures }) => failures);
  for (const { title, worlds } of places) log(`   ${title}: a fault at each of its places, ${worlds} worlds`);
  for (const { at, result } of exhaustive.slice(0, MAX_FAILURES))
    log(`   seed ${options.seed}, ${at}: ${textsOf(result).join('; ')}`);
  for (const { seed } of report.failures) show(SWEEP_ID, await runSeed(seed, { traced: true }), log);
  if (report.failures.length === 0) for (const world of report.traces) showWhole(world, log);
  const worlds = report.seeds + places.reduce((sum, place) => sum + place.worlds, 0);
  const failures = [...report.failures, ...exhaustive.map(({ result }) => result)];
  return { tally: tallyOf(failures), seeds: worlds, detail: detailOf(report) };
}

/** Worlds on Postgres. */
export async function storePart(context: SweepContext, postgres: ScratchPostgres): Promise<SweepResult> {
  const { options, signal, log } = context;
  const size = sizeOf(POSTGRES, options);
  const names = Array.from({ length: Math.min(LANES, size.seeds) }, (_, lane) => `sweep_${lane}`);
  const urls: string[] = [];
  for (const name of names) urls.push(await postgres.database(name));
  const traced = size.seeds === 1;
  const report = await sweepPostgres(urls, {
    ...size,
    seed: options.seed,
    maxFailures: 1,
    signal,
    traced,
  });
  for (const name of names) await postgres.drop(name);
  for (const world of report.failures) show(STORE_SWEEP_ID, world, log);
  if (report.failures.length === 0) for (const world of report.traces) showWhole(world, log);
  return { tally: tallyOf(report.failures), seeds: report.seeds, detail: detailOf(report) };
}

function sizeOf(sizes: Record<Form, Size>, { form, seeds }: SuiteOptions): Size {
  return seeds === null ? sizes[form] : { seeds, seconds: Infinity };
}

function detailOf(report: SweepReport): string {
  const { seeds, seconds, tasks, requests, waitsForSubtasks, steps, faults } = report;
  const rate = Math.round(seeds / Math.max(seconds, 0.001));
  return (
    `${seeds} seeds (${rate}/s), ${tasks} tasks, ${requests} model requests, ` +
    `${waitsForSubtasks} waits for subtasks, ${steps} steps, ${faults} faults`
  );
}

/** What is wrong, how to see it again, and how it ended. */
function show(id: string, world: SeedResult, log: (line: string) => void): void {
  log(`   seed ${world.seed}:`);
  for (const text of textsOf(world)) log(`     ${text}`);
  log(`   again: npm run test:faults -- --only ${id} --seed ${world.seed} --seeds 1`);
  for (const line of world.trace.slice(-TRACE_TAIL)) log(`     ${line}`);
}

function showWhole({ trace }: SeedResult, log: (line: string) => void): void {
  for (const line of trace) log(`     ${line}`);
}

function textsOf({ violations }: SeedResult): string[] {
  return violations.map(({ kind, text }) => `${kind}: ${text}`);
}

function tallyOf(failures: readonly SeedResult[]): Tally {
  const count = (kind: ViolationKind) =>
    failures.reduce((sum, { violations }) => sum + violations.filter((one) => one.kind === kind).length, 0);
  return {
    // Nothing real ran or died here: the suite's counts of tasks and kills are those of the drills.
    tasks: 0,
    kills: 0,
    restarts: 0,
    lost: count('lost'),
    doubled: count('doubled'),
    paidTwice: count('paid_twice'),
    stuck: count('stuck'),
    violations: failures.flatMap((world) => textsOf(world).map((text) => `seed ${world.seed}: ${text}`)),
  };
}
