/** Symbols as people name them, and how to find them by a part of their name. */
import type { SymbolKind } from '../facts/facts.js';
import type { View } from '../index/code-index.js';
import type { Program, SymbolRef } from '../link/program.js';

/** A symbol as it is shown. */
export interface SymbolView {
  /** With what it is in: `Queue.push`. */
  readonly name: string;
  readonly kind: SymbolKind;
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
}

/** The name with all that it is in. */
export function fullNameOf(program: Program, symbol: SymbolRef): string {
  const container = program.container(symbol);
  const above =
    container === null ? symbol.fact.owner?.replaceAll('::', '.') : fullNameOf(program, container);
  return above === undefined ? symbol.fact.name : `${above}.${symbol.fact.name}`;
}

/** A symbol as it is shown. */
export function viewOf(program: Program, symbol: SymbolRef): SymbolView {
  const { line, column, endLine } = symbol.fact.span;
  return {
    name: fullNameOf(program, symbol),
    kind: symbol.fact.kind,
    path: symbol.file.path,
    line,
    column,
    endLine,
  };
}

export interface FindOptions {
  readonly kind?: SymbolKind | undefined;
  /** Only in files below it. */
  readonly folder?: string | undefined;
}

/** Symbols whose name is, begins with, or holds what is asked for; the likeliest first. */
export function findSymbols(
  { program, generated }: View,
  query: string,
  { kind, folder }: FindOptions = {},
): readonly SymbolView[] {
  const wanted = query.trim().replaceAll(/::|#/g, '.');
  const last = wanted.split('.').at(-1) ?? wanted;
  const isMeant = ({ fact, file }: SymbolRef) =>
    (kind === undefined || fact.kind === kind) && (folder === undefined || isBelow(file.path, folder));
  const found: { readonly rank: number; readonly view: SymbolView }[] = [];
  for (const name of program.names()) {
    const likeness = likenessOf(name, last);
    if (likeness === null) continue;
    for (const symbol of program.symbolsNamed(name).filter(isMeant)) {
      const view = viewOf(program, symbol);
      if (wanted.includes('.') && !`.${view.name}`.toLowerCase().includes(`.${wanted}`.toLowerCase()))
        continue;
      found.push({ rank: likeness + lateness(symbol, generated), view });
    }
  }
  return found
    .sort((a, b) => a.rank - b.rank || compare(a.view.path, b.view.path) || a.view.line - b.view.line)
    .map(({ view }) => view);
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** What somebody looks for is seldom made by a program, only declared, or a variable. */
function lateness({ fact, file }: SymbolRef, generated: ReadonlySet<string>): number {
  return (
    (generated.has(file.path) ? 100 : 0) +
    (fact.isDeclaration === true ? 2 : 0) +
    (fact.kind === 'variable' ? 1 : 0)
  );
}

/** By code units: the same everywhere, and ten times as quick as by the rules of a language. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** How far a name is from a query; null when it has nothing of it. */
function likenessOf(name: string, query: string): number | null {
  if (name === query) return 0;
  const [lower, wanted] = [name.toLowerCase(), query.toLowerCase()];
  if (lower === wanted) return 3;
  if (lower.startsWith(wanted)) return 6;
  if (lower.includes(wanted)) return 9;
  return initialsOf(name) === wanted && wanted.length > 1 ? 12 : null;
}

/** `ParsePool` is `pp`, `parse_pool` too. */
function initialsOf(name: string): string {
  return (name.match(/[A-Z]|(?:^|_)[a-z]/g) ?? []).map((part) => part.at(-1)?.toLowerCase()).join('');
}

/** The symbols that somebody means: `push`, `Queue.push`, `src/queue.ts:push`, `src/queue.ts:12`. Functions before all others. */
export function meantBy(view: View, text: string): readonly SymbolRef[] {
  const { program } = view;
  const [, path, rest] = /^(.+\.\w+):(.+)$/.exec(text.trim()) ?? [];
  if (path !== undefined && rest !== undefined && /^\d+$/.test(rest))
    return aroundLine(program, path, Number(rest));
  const wanted = (rest ?? text).trim().replaceAll(/::|#/g, '.').replace(/\(\)$/, '');
  const named = program.symbolsNamed(wanted.split('.').at(-1) ?? wanted).filter((symbol) => {
    if (path !== undefined && symbol.file.path !== path) return false;
    return !wanted.includes('.') || `.${fullNameOf(program, symbol)}`.endsWith(`.${wanted}`);
  });
  const callable = named.filter(({ fact }) => fact.kind !== 'variable' && fact.isDeclaration !== true);
  return callable.length > 0 ? callable : named;
}

/** The innermost symbol around a line. */
function aroundLine(program: Program, path: string, line: number): readonly SymbolRef[] {
  const file = program.file(path);
  if (file === null) return [];
  const around = file.facts.symbols.flatMap((fact, at) =>
    fact.span.line <= line && line <= fact.span.endLine && fact.kind !== 'variable' ? [at] : [],
  );
  const symbol = around.length === 0 ? null : program.symbol(path, around.at(-1) ?? 0);
  return symbol === null ? [] : [symbol];
}
