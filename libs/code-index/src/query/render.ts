/** Answers of the index as text, for models and for terminals. */
import { plural } from '@bullpen/contracts';
import type { View } from '../index/code-index.js';
import type { SymbolRef } from '../link/program.js';
import type { SearchResult } from './search.js';
import { fullNameOf, viewOf, type SymbolView } from './symbols.js';
import type { Trace, TracedImport } from './trace.js';

/** Found symbols, a line each. */
export function symbolText(symbols: readonly SymbolView[], asked: string, limit: number): string {
  if (symbols.length === 0) return `No symbol has ${asked} in its name.`;
  const shown = symbols
    .slice(0, limit)
    .map(({ path, line, kind, name }) => `${path}:${line} ${kind} ${name}`);
  const rest = symbols.length - shown.length;
  return [
    ...shown,
    ...(rest > 0 ? [`… ${plural(rest, 'more symbol')}; ask for a longer name, a kind or a folder`] : []),
  ].join('\n');
}

/** What a search found: symbols, files, lines, each under its heading. */
export function searchText({ symbols, paths, lines, isCut }: SearchResult, asked: string): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['Symbols', symbols.map(({ path, line, kind, name }) => `${path}:${line} ${kind} ${name}`)],
    ['Files', paths],
    ['Text', lines.map(({ path, line, text }) => `${path}:${line}: ${text}`)],
  ];
  const found = parts.filter(([, rows]) => rows.length > 0);
  if (found.length === 0) return `No symbol, path or text has ${asked}.`;
  const more = isCut ? ['… more lines of text; search_files shows all of them'] : [];
  return [...found.flatMap(([title, rows]) => [`${title}:`, ...rows]), ...more].join('\n');
}

/** Several symbols have the name: which one is meant, only the asker knows. */
export function whichText({ program }: View, asked: string, meant: readonly SymbolRef[]): string {
  const lines = meant.slice(0, 30).map((symbol) => {
    const { path, line, kind, name } = viewOf(program, symbol);
    return `${path}:${line} ${kind} ${name}`;
  });
  return `${plural(meant.length, 'symbol')} are named ${asked}. Ask again with one of these places:\n${lines.join('\n')}`;
}

/** A call chain, with what is only possible and what could not be followed. */
export function traceText(
  { program }: View,
  symbol: SymbolRef,
  direction: 'callers' | 'callees',
  { calls, unresolved, blind, isCut }: Trace,
): string {
  const { path, line } = viewOf(program, symbol);
  const name = fullNameOf(program, symbol);
  const sure = calls.filter(({ certainty }) => certainty !== 'possible');
  const possible = calls.filter(({ certainty }) => certainty === 'possible');
  const what = direction === 'callers' ? 'Callers of' : 'Calls in';
  const lines = (some: Trace['calls']) =>
    some.map(
      (call) =>
        `${'  '.repeat(call.depth)}${call.name} (${call.definedAt}), call at ${call.path}:${call.line}${call.certainty === 'interface' ? ', by an interface or a type above' : ''}`,
    );
  return [
    `${what} ${name} (${path}:${line}): ${sure.length === 0 ? 'none found' : plural(sure.length, 'call')}`,
    ...lines(sure),
    ...(possible.length === 0
      ? []
      : [
          `Possible, since what they are called on is not known: ${possible.length}`,
          ...lines(possible.slice(0, 60)),
        ]),
    ...(unresolved.length === 0
      ? []
      : [
          `Not followed (of libraries, or not known): ${[...new Set(unresolved.map((one) => one.name))].slice(0, 40).join(', ')}`,
        ]),
    ...(blind.length === 0
      ? []
      : [
          'Blind spots, where calls could hide:',
          ...blind.slice(0, 10).map((spot) => `  ${spot.path}:${spot.line} ${spot.what}`),
        ]),
    ...(isCut ? ['There is more: follow one of these with a call of its own.'] : []),
  ].join('\n');
}

/** An import chain, a line each. */
export function dependencyText(
  found: readonly TracedImport[],
  path: string,
  direction: 'imports' | 'importers',
): string {
  if (found.length === 0)
    return direction === 'imports' ? `${path} imports nothing.` : `Nothing imports ${path}.`;
  return found
    .map(
      ({ depth, from, line, to, module }) =>
        `${'  '.repeat(depth - 1)}${from}:${line} -> ${to ?? `${module} (outside of the workspace)`}`,
    )
    .join('\n');
}
