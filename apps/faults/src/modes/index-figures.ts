/** How long the index of some thousand files takes to build, to follow a change and to answer: on packages that the lockfile pins. */
import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CodeIndexes,
  findSymbols,
  meantBy,
  traceCallees,
  traceCallers,
  traceDependencies,
} from '@bullpen/code-index';

type View = Awaited<ReturnType<CodeIndexes['viewOf']>>;

/** TypeScript sources, types beside compiled code, and C++, Go and Python in between. */
const PACKAGES = [
  'rxjs',
  'zod',
  '@nestjs/common',
  '@nestjs/core',
  'bullmq',
  'fastify',
  'flatted',
  'node-addon-api',
  '@parcel/watcher',
];
const INSTALLED = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));
const CHANGED = 'rxjs/src/internal/Observable.ts';
const CHANGES = 9;
/** Names that are there once, and names that half of the files use. */
const NAMES = [
  'Observable',
  'Observable.subscribe',
  'mergeMap',
  'createOperatorSubscriber',
  'safeParse',
  'ZodObject',
  'Injectable',
  'NestFactory',
  'RoutesResolver.resolve',
  'Queue.add',
  'Worker.run',
  'get',
  'parse',
  'close',
  'Stringify',
];

export interface IndexFigures {
  readonly files: number;
  readonly languages: Readonly<Record<string, number>>;
  readonly buildSeconds: number;
  /** From a change on the disk to an index that knows of it; the middle one of several. */
  readonly updateMs: number;
  /** Questions right after a change, when nothing was worked out yet: the middle one, and the slowest of twenty. */
  readonly answerMs: number;
  readonly slowAnswerMs: number;
  readonly questions: number;
}

export async function measureIndex(signal: AbortSignal): Promise<IndexFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'bullpen-modes-'));
  const root = join(folder, 'workspace');
  const indexes = new CodeIndexes(join(folder, 'index'));
  try {
    await Promise.all(PACKAGES.map((name) => copyPackage(name, root)));
    const [view, buildMs] = await timed(() => indexes.viewOf(root, signal));
    const updates: number[] = [];
    const answers: number[] = [];
    for (let change = 0; change < CHANGES; change += 1) {
      await appendFile(join(root, CHANGED), `export function change${change}(): void {}\n`);
      const [changed, updateMs] = await timed(() => indexes.viewOf(root, signal));
      if (meantBy(changed, `change${change}`).length !== 1) throw new Error('the index missed a change');
      updates.push(updateMs);
      answers.push(...askAll(changed));
    }
    return {
      files: view.program.size,
      languages: languagesOf(view),
      buildSeconds: Math.round(buildMs / 100) / 10,
      updateMs: Math.round(quantile(updates, 0.5)),
      answerMs: Math.round(quantile(answers, 0.5) * 10) / 10,
      slowAnswerMs: Math.round(quantile(answers, 0.95) * 10) / 10,
      questions: answers.length,
    };
  } finally {
    await indexes.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Without what a package brings along: copies of others would count twice. */
async function copyPackage(name: string, root: string): Promise<void> {
  const from = join(INSTALLED, name);
  await cp(from, join(root, name), {
    recursive: true,
    dereference: true,
    filter: (path) => !path.slice(from.length).includes('/node_modules'),
  });
}

/** The times of all questions, each asked once. */
function askAll(view: View): number[] {
  return NAMES.flatMap((name) => {
    const [symbol] = meantBy(view, name);
    if (symbol === undefined) throw new Error(`the index does not know ${name}`);
    return [
      () => findSymbols(view, name),
      () => traceCallers(view, symbol, 1),
      () => traceCallees(view, symbol, 3),
      () => traceDependencies(view, symbol.file.path, 'importers', 2),
    ].map((ask) => {
      const startedAt = performance.now();
      ask();
      return performance.now() - startedAt;
    });
  });
}

function languagesOf({ program }: View): Readonly<Record<string, number>> {
  const count: Record<string, number> = {};
  for (const { file } of program.files()) count[file.language] = (count[file.language] ?? 0) + 1;
  return count;
}

async function timed<T>(run: () => Promise<T>): Promise<[T, number]> {
  const startedAt = performance.now();
  const value = await run();
  return [value, performance.now() - startedAt];
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
