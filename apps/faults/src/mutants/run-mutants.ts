/** Plants bugs, one a copy of the product, and lets each copy be judged. A suite that does not notice them proves nothing. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { AppError } from '@bullpen/contracts';
import type { ScratchPostgres } from '../store-sweep/scratch-postgres.js';
import { coreMutants } from './core-mutants.js';
import type { JudgeAnswer, JudgeRequest } from './judge.js';
import type { Mutant } from './mutant.js';
import { diskMutants } from './disk-mutants.js';
import { peopleMutants } from './people-mutants.js';
import { copyProduct } from './product-copy.js';
import { storeMutants } from './store-mutants.js';
import { windowMutants } from './window-mutants.js';

export const mutants: readonly Mutant[] = [
  ...coreMutants,
  ...storeMutants,
  ...windowMutants,
  ...peopleMutants,
  ...diskMutants,
];

export interface MutantsOptions {
  /** The repository whose compiled form is copied. */
  readonly root: string;
  readonly mutants: readonly Mutant[];
  readonly seed: number;
  readonly postgres: ScratchPostgres;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

export interface MutantsReport {
  readonly planted: number;
  readonly caught: number;
  /** Those that nobody noticed. */
  readonly survivors: readonly string[];
  /** Mutants that could not be judged, and judges that object to the product as it is. */
  readonly problems: readonly string[];
}

/** How many seeds a judge looks at before it calls a copy sound. */
const SEEDS = { sweep: 1_500, store: 250, windows: 30, people: 1, disks: 1, restores: 1 };
/** The product itself is judged first: who finds fault with that proves nothing about a copy. */
const CONTROL_SEEDS = { sweep: 300, store: 60, windows: 15, people: 1, disks: 1, restores: 1 };
/** Copies that are judged at the same time. */
const AT_ONCE = 2;
const JUDGE_TIMEOUT_MS = 600_000;
/** What a change looks like that breaks the text, not the behaviour. */
const BROKEN = /(Syntax|Reference|Type)Error|syntax error|does not exist|could not determine data type/;

/** Judges the unchanged product, then each mutant. */
export async function runMutants(options: MutantsOptions): Promise<MutantsReport> {
  const results = { caught: 0, survivors: [] as string[], problems: [] as string[] };
  for (const judge of new Set(options.mutants.map((mutant) => mutant.judge))) {
    const verdict = await judged(options, null, judge);
    if (verdict.kind === 'broken') results.problems.push(`control (${judge}): ${verdict.why}`);
    if (verdict.kind === 'caught')
      results.problems.push(`control (${judge}): objects to the product: ${verdict.why}`);
    options.log(`control (${judge}): ${verdict.kind === 'survived' ? 'passes' : verdict.kind}`);
  }
  if (results.problems.length > 0) return { planted: 0, ...results };
  const waiting = [...options.mutants];
  const lane = async () => {
    for (let next = waiting.shift(); next && !options.signal.aborted; next = waiting.shift())
      await note(options, next, results);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { planted: options.mutants.length, ...results };
}

async function note(
  options: MutantsOptions,
  mutant: Mutant,
  results: { caught: number; survivors: string[]; problems: string[] },
): Promise<void> {
  const startedAt = performance.now();
  const verdict = await judged(options, mutant, mutant.judge);
  const name = `${mutant.id} ${mutant.title}`;
  if (verdict.kind === 'caught') results.caught += 1;
  if (verdict.kind === 'survived') results.survivors.push(name);
  if (verdict.kind === 'broken') results.problems.push(`${name}: ${verdict.why}`);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const why = verdict.kind === 'survived' ? '' : `: ${verdict.why}`;
  options.log(`mutant ${name}  ${seconds} s  ${verdict.kind}${why}`);
}

type Verdict =
  | { readonly kind: 'caught'; readonly why: string }
  | { readonly kind: 'survived' }
  /** The judge failed, or the change did not do what it was meant to: nothing was learned. */
  | { readonly kind: 'broken'; readonly why: string };

async function judged(
  { root, postgres, seed, signal }: MutantsOptions,
  mutant: Mutant | null,
  judge: Mutant['judge'],
): Promise<Verdict> {
  const copy = await copyProduct(root);
  const name = `${mutant?.id.toLowerCase() ?? 'control'}_${judge}`;
  try {
    if (mutant) await copy.plant(mutant);
    const databaseUrls = judge === 'store' || judge === 'windows' ? [await postgres.database(name)] : [];
    const seeds = (mutant ? SEEDS : CONTROL_SEEDS)[judge];
    return await ask(copy.folder, { judge, seed, seeds, acts: mutant?.acts ?? [], databaseUrls }, signal);
  } catch (error) {
    if (error instanceof AppError) return { kind: 'broken', why: error.message };
    throw error;
  } finally {
    await postgres.drop(name);
    await copy.remove();
  }
}

function ask(folder: string, request: JudgeRequest, signal: AbortSignal): Promise<Verdict> {
  const entry = join(folder, 'apps/faults/dist/mutants/judge-process.js');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [entry, JSON.stringify(request)],
      // Who judges with processes of its own has to end them.
      {
        cwd: folder,
        signal,
        timeout: JUDGE_TIMEOUT_MS,
        killSignal: request.judge === 'people' || request.judge === 'disks' ? 'SIGTERM' : 'SIGKILL',
      },
      (error, stdout, stderr) =>
        resolve(verdictOf(stdout, error === null ? '' : `${error.message}\n${stderr}`)),
    );
  });
}

function verdictOf(stdout: string, failure: string): Verdict {
  const line = stdout.trimEnd().split('\n').at(-1) ?? '';
  if (!line.startsWith('{')) return { kind: 'broken', why: `the judge failed: ${failure.slice(0, 500)}` };
  const { violations } = JSON.parse(line) as JudgeAnswer;
  const [first] = violations;
  if (first === undefined) return { kind: 'survived' };
  const broken = violations.find((text) => BROKEN.test(text));
  return broken === undefined
    ? { kind: 'caught', why: first.split('\n')[0] ?? first }
    : { kind: 'broken', why: broken.slice(0, 500) };
}
