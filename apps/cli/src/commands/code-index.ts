/** `bullpen index …`: symbols, calls and imports of a folder, on this machine and without a server. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  CodeIndexes,
  dependencyText,
  findSymbols,
  meantBy,
  statsOf,
  symbolText,
  traceCallees,
  traceCallers,
  traceDependencies,
  traceText,
  whichText,
} from '@bullpen/code-index';
import { plural } from '@bullpen/contracts';
import type { Command } from 'commander';
import { optionsOf, printJson, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { withExamples } from '../help.js';
import { statsLines } from '../render/index-stats.js';
import { parsePositive } from './task-input.js';

type View = Awaited<ReturnType<CodeIndexes['viewOf']>>;

interface IndexFlags {
  readonly dir?: string;
  readonly stats?: boolean;
  readonly callees?: boolean;
  readonly importers?: boolean;
  readonly depth: number;
  readonly limit: number;
}

/** Adds the commands of the code index. */
export function registerCodeIndex(program: Command, context: Context): void {
  const index = program
    .command('index')
    .option('--dir <folder>', 'the folder to read; default: this one')
    .option(
      '--stats',
      'also what is known, in numbers: symbols, calls that could be followed, files left out',
    )
    .action((_, self: Command) => build(context, self));
  withExamples(index, [
    ['bullpen index --stats', 'read this folder, and say what is known of it'],
    ['bullpen index find parseConfig', 'where it is defined'],
    ['bullpen index calls Queue.push --depth 3', 'who calls it, and who calls those'],
  ]);
  index
    .command('find')
    .description('where functions, types and variables are defined')
    .argument('<name>', 'a name or a part of it')
    .option('-n, --limit <n>', 'at most this many', parsePositive, 40)
    .action((name: string, _, self: Command) => find(context, name, self));
  index
    .command('calls')
    .description('who calls a function, or what it calls')
    .argument('<symbol>', 'push, Queue.push, src/queue.ts:push or src/queue.ts:12')
    .option('--callees', 'what it calls')
    .option('--depth <n>', 'how many steps to follow, up to 5', parsePositive, 1)
    .action((symbol: string, _, self: Command) => calls(context, symbol, self));
  index
    .command('imports')
    .description('which files a file imports, or which import it')
    .argument('<path>', 'a file, relative to the folder')
    .option('--importers', 'which files import it')
    .option('--depth <n>', 'how many steps to follow, up to 5', parsePositive, 1)
    .action((path: string, _, self: Command) => imports(context, path, self));
}

/** Runs with the folder as it is now. */
async function withView<T>(
  context: Context,
  self: Command,
  use: (view: View, root: string) => T,
): Promise<T> {
  const root = resolve(context.cwd, optionsOf<IndexFlags>(self).dir ?? '.');
  if (!existsSync(root)) throw new CliError(EXIT.usage, `There is no folder ${root}.`);
  const indexes = new CodeIndexes(null);
  try {
    return use(await indexes.viewOf(root, new AbortController().signal), root);
  } finally {
    await indexes.close();
  }
}

async function build(context: Context, self: Command): Promise<void> {
  const options = optionsOf<IndexFlags>(self);
  const startedAt = context.io.now();
  await withView(context, self, (view) => {
    const ms = context.io.now() - startedAt;
    if (options.json) return printJson(context.io, { ...statsOf(view), ms });
    context.io.out(`${plural(view.program.size, 'file')} read in ${(ms / 1_000).toFixed(1)} s`);
    if (options.stats) for (const line of statsLines(statsOf(view))) context.io.out(line);
  });
}

async function find(context: Context, name: string, self: Command): Promise<void> {
  const options = optionsOf<IndexFlags>(self);
  await withView(context, self, (view) => {
    const found = findSymbols(view, name);
    if (options.json) return printJson(context.io, { data: found.slice(0, options.limit) });
    context.io.out(symbolText(found, name, options.limit));
    if (found.length === 0) context.setExitCode(EXIT.notFound);
  });
}

async function calls(context: Context, asked: string, self: Command): Promise<void> {
  const options = optionsOf<IndexFlags>(self);
  await withView(context, self, (view) => {
    const meant = meantBy(view, asked);
    const [symbol] = meant;
    if (symbol === undefined) throw new CliError(EXIT.notFound, `There is no symbol ${asked}.`);
    if (meant.length > 1) throw new CliError(EXIT.usage, whichText(view, asked, meant));
    const depth = Math.min(5, options.depth);
    const trace = options.callees ? traceCallees(view, symbol, depth) : traceCallers(view, symbol, depth);
    if (options.json) return printJson(context.io, trace);
    context.io.out(traceText(view, symbol, options.callees ? 'callees' : 'callers', trace));
  });
}

async function imports(context: Context, path: string, self: Command): Promise<void> {
  const options = optionsOf<IndexFlags>(self);
  await withView(context, self, (view) => {
    if (view.program.file(path) === null)
      throw new CliError(
        EXIT.notFound,
        `${path} is not in the index${view.skipped.has(path) ? `: ${view.skipped.get(path)}` : ''}.`,
      );
    const direction = options.importers ? 'importers' : 'imports';
    const found = traceDependencies(view, path, direction, Math.min(5, options.depth));
    if (options.json) return printJson(context.io, { data: found });
    context.io.out(dependencyText(found, path, direction));
  });
}
