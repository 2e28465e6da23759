/** Runs the parts of the suite that were asked for, one after the other. */
import { errorText } from '@bullpen/contracts';
import { drills } from './drills/index.js';
import type { Drill } from './drill.js';
import { chosenDrills, runDrill } from './drill-parts.js';
import { mutants, runMutants } from './mutants/run-mutants.js';
import type { SuiteOptions } from './options.js';
import type { Mutant } from './mutants/mutant.js';
import { isClean, type Report } from './report.js';
import { startScratchPostgres, type ScratchPostgres } from './store-sweep/scratch-postgres.js';
import {
  memoryPart,
  storePart,
  STORE_SWEEP_ID,
  SWEEP_ID,
  type SweepContext,
  type SweepResult,
} from './sweep-parts.js';

export const MUTANTS_ID = 'mutants';

export interface SuiteContext extends SweepContext {
  readonly report: Report;
  /** Root of the repository. */
  readonly root: string;
  readonly redis: 'available' | 'missing' | 'required_and_missing';
}

/** Runs everything; what fails is in the report. */
export async function runSuite(context: SuiteContext): Promise<void> {
  const { form, only, backends } = context.options;
  const wants = (id: string, ...forms: string[]) =>
    only === null ? forms.includes(form) : only.includes(id);
  if (wants(SWEEP_ID, 'short', 'default', 'full'))
    await sweepPart(context, SWEEP_ID, 'worlds in memory', 'memory', () => memoryPart(context));
  const sweepsStore = backends.includes('postgres') && wants(STORE_SWEEP_ID, 'short', 'default', 'full');
  const plants = wants(MUTANTS_ID, 'short', 'default', 'full', 'mutants');
  if (sweepsStore || plants) {
    const postgres = await startScratchPostgres();
    try {
      if (sweepsStore)
        await sweepPart(context, STORE_SWEEP_ID, 'worlds on Postgres', 'postgres', () =>
          storePart(context, postgres),
        );
      if (plants) await mutantsPart(context, postgres);
    } finally {
      await postgres.stop();
    }
  }
  await drillParts(context);
}

async function sweepPart(
  { report, log }: SuiteContext,
  id: string,
  title: string,
  backend: string,
  run: () => Promise<SweepResult>,
): Promise<void> {
  log(`${id}  ${title}  …`);
  const startedAt = performance.now();
  const { tally, seeds, detail } = await run();
  report.add(tally, seeds);
  const verdict = isClean(tally) && seeds > 0 ? 'passed' : 'failed';
  report.done({ id, title, backend, verdict, seconds: secondsSince(startedAt), detail });
}

async function mutantsPart(context: SuiteContext, postgres: ScratchPostgres): Promise<void> {
  const { options, report, root, signal, log } = context;
  const startedAt = performance.now();
  const planted: readonly Mutant[] =
    options.form === 'short' ? mutants.filter(({ short }) => short === true) : mutants;
  log(`${MUTANTS_ID}  ${planted.length} planted bugs  …`);
  const found = await runMutants({
    root,
    mutants: planted,
    seed: options.seed,
    postgres,
    signal,
    log: (line) => log(`   ${line}`),
  });
  report.addMutants(found);
  const { caught, survivors, problems } = found;
  for (const survivor of survivors) log(`   nobody noticed: ${survivor}`);
  for (const problem of problems) log(`   problem: ${problem}`);
  report.done({
    id: MUTANTS_ID,
    title: 'planted bugs',
    backend: 'memory, postgres',
    verdict: caught === planted.length && problems.length === 0 ? 'passed' : 'failed',
    seconds: secondsSince(startedAt),
    detail: [`${caught} of ${planted.length} caught`, ...problems].join('; '),
  });
}

/** The short form takes turns: the first drill on the drill's last backend, the next on its first. The others do each on all. */
function backendsOf({ backends }: Drill, at: number, { form, only, backends: asked }: SuiteOptions) {
  const possible = backends.filter((one) => asked.includes(one));
  return form === 'short' && only === null
    ? possible.slice((at + 1) % possible.length).slice(0, 1)
    : possible;
}

async function drillParts(context: SuiteContext): Promise<void> {
  const { options, report, signal, log, redis } = context;
  for (const [at, drill] of chosenDrills(drills, options).entries()) {
    for (const backend of backendsOf(drill, at, options)) {
      const { id, title } = drill;
      if (backend === 'redis' && redis !== 'available') {
        const verdict = redis === 'missing' ? 'skipped' : 'failed';
        report.done({ id, title, backend, verdict, seconds: 0, detail: 'there is no redis-server' });
        continue;
      }
      if (signal.aborted) return;
      log(`${id}  ${title}  ${backend}  …`);
      const startedAt = performance.now();
      try {
        const tally = await runDrill(drill, backend, options, signal, (line) => log(`   ${line}`));
        report.add(tally);
        for (const violation of tally.violations) log(`   ${violation}`);
        const verdict = isClean(tally) ? 'passed' : 'failed';
        const detail = `${tally.tasks} tasks, ${tally.kills} kills, ${tally.restarts} restarts`;
        report.done({ id, title, backend, verdict, seconds: secondsSince(startedAt), detail });
      } catch (error) {
        log(`   ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        const detail = errorText(error);
        report.done({ id, title, backend, verdict: 'failed', seconds: secondsSince(startedAt), detail });
      }
    }
  }
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 100) / 10;
}
