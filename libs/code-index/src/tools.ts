/** The tools of the index: find_symbols, trace_calls, trace_dependencies. */
import { defineTool, failure, success, type Tool, type ToolContext, type ToolOutcome } from '@bullpen/core';
import { z } from 'zod';
import type { View } from './index/code-index.js';
import type { CodeIndexes } from './index/code-indexes.js';
import { dependencyText, searchText, symbolText, traceText, whichText } from './query/render.js';
import { searchCode } from './query/search.js';
import { findSymbols, meantBy } from './query/symbols.js';
import { traceCallees, traceCallers, traceDependencies } from './query/trace.js';

const LANGUAGES = 'TypeScript, JavaScript, Python, Go, Java, Rust, C and C++';

const findInput = z.strictObject({
  name: z.string().min(1).max(200).describe('A name or a part of it; "Queue.push" for a member of a type.'),
  kind: z.enum(['function', 'method', 'class', 'interface', 'type', 'enum', 'variable', 'module']).optional(),
  folder: z.string().max(1_000).optional().describe('Only in files below this folder.'),
  limit: z.int().min(1).max(200).default(40),
});

const searchInput = z.strictObject({
  query: z.string().min(2).max(200).describe('A name, a part of a path, or words as they stand in the text.'),
  limit: z.int().min(1).max(100).default(20).describe('At most this many of each kind.'),
});

const traceInput = z.strictObject({
  symbol: z
    .string()
    .min(1)
    .max(500)
    .describe('"push", "Queue.push", "src/queue.ts:push", or a place inside of it: "src/queue.ts:12".'),
  direction: z.enum(['callers', 'callees']).default('callers'),
  depth: z.int().min(1).max(5).default(1).describe('How many steps to follow.'),
});

const dependencyInput = z.strictObject({
  path: z.string().min(1).max(1_000).describe('A file, relative to the workspace folder.'),
  direction: z.enum(['imports', 'importers']).default('imports'),
  depth: z.int().min(1).max(5).default(1),
});

/** The tools of the index, which read the workspace of the task that calls them. */
export function codeTools(indexes: CodeIndexes): readonly Tool[] {
  const viewOf = ({ workspacePath }: ToolContext, signal: AbortSignal) =>
    indexes.viewOf(workspacePath, signal);
  return [
    defineTool({
      name: 'search_code',
      description: `Looks for one thing in three places at once: names of symbols (${LANGUAGES}), paths of files, and the text of all files. Ask it first when you do not know yet whether something is a name, a file or a text; then find_symbols, trace_calls or search_files (regular expressions, pages) for all of it. Words are taken as they are; capitals do not count. Of one file at most four lines are shown.`,
      group: 'read',
      resume: 'repeat',
      input: searchInput,
      run: async (args, context, signal) => {
        const view = await viewOf(context, signal);
        return success(searchText(await searchCode(view, context.workspacePath, args, signal), args.query));
      },
    }),
    defineTool({
      name: 'find_symbols',
      description: `Finds where functions, methods, types and variables are defined, by a name or a part of it (${LANGUAGES}): quicker and more exact than a text search for a definition. Each line is "<path>:<line> <kind> <name>"; the likeliest come first, generated files last. For texts, comments and settings use search_files.`,
      group: 'read',
      resume: 'repeat',
      input: findInput,
      run: async ({ name, kind, folder, limit }, context, signal) =>
        success(symbolText(findSymbols(await viewOf(context, signal), name, { kind, folder }), name, limit)),
    }),
    defineTool({
      name: 'trace_calls',
      description: `Shows who calls a function or method, or what it calls, to a depth of 5 (${LANGUAGES}). Use it before you change what something takes, gives or throws, and to follow a path through the code. Calls are followed by imports, scopes and stated types, not by bare names. "By an interface": the call reaches it when that type is the one in use. "Possible": what it is called on is not known; open the place before you rely on it. Calls that could not be followed and places where names are made at run time are listed too: as long as there are any, "none found" does not mean unused.`,
      group: 'read',
      resume: 'repeat',
      input: traceInput,
      run: async (args, context, signal) => trace(await viewOf(context, signal), args),
    }),
    defineTool({
      name: 'trace_dependencies',
      description: `Shows which files a file imports, or which files import it, to a depth of 5 (${LANGUAGES}). Use it to see how far a change of a file reaches, and which tests concern it. Modules outside of the workspace are marked so.`,
      group: 'read',
      resume: 'repeat',
      input: dependencyInput,
      run: async ({ path, direction, depth }, context, signal) => {
        const view = await viewOf(context, signal);
        const clean = path.replace(/^\.\//, '');
        if (view.program.file(clean) === null) return failure(notIndexed(view, clean));
        return success(dependencyText(traceDependencies(view, clean, direction, depth), clean, direction));
      },
    }),
  ];
}

function trace(view: View, { symbol, direction, depth }: z.output<typeof traceInput>): ToolOutcome {
  const meant = meantBy(view, symbol);
  const [first] = meant;
  if (first === undefined)
    return failure(`There is no symbol ${symbol} in the index. ${nearest(view, symbol)}`);
  if (meant.length > 1) return failure(whichText(view, symbol, meant));
  const found = direction === 'callers' ? traceCallers(view, first, depth) : traceCallees(view, first, depth);
  return success(traceText(view, first, direction, found));
}

function nearest(view: View, symbol: string): string {
  const near = findSymbols(view, symbol.split(/[.:#]/).at(-1) ?? symbol).slice(0, 5);
  if (near.length === 0) return 'Search the text for it.';
  return `Near names: ${near.map(({ name, path, line }) => `${name} (${path}:${line})`).join(', ')}.`;
}

function notIndexed({ skipped }: View, path: string): string {
  const why = skipped.get(path);
  return why === undefined
    ? `${path} is not in the index: there is no such file, or it is of a language that is not read.`
    : `${path} is not in the index: ${why}.`;
}
