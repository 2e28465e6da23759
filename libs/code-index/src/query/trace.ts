/** Call chains and import chains, to a depth, each thing once. */
import type { Expr } from '../facts/facts.js';
import type { View } from '../index/code-index.js';
import type { CallEdge, Certainty } from '../link/calls.js';
import type { ImportEdge } from '../link/imports.js';
import type { IndexedFile, SymbolRef } from '../link/program.js';
import { fullNameOf } from './symbols.js';

/** One step of a chain. */
export interface TracedCall {
  /** 1 for those right beside the symbol that was asked for. */
  readonly depth: number;
  /** The symbol at the far end: who calls, or what is called. `(file)` for the top of a file. */
  readonly name: string;
  /** Where the call is written. */
  readonly path: string;
  readonly line: number;
  /** Where the symbol at the far end is defined. */
  readonly definedAt: string;
  readonly certainty: Certainty;
}

export interface Trace {
  readonly calls: readonly TracedCall[];
  /** Calls that nothing in the workspace is known for, as they are written. */
  readonly unresolved: readonly { readonly name: string; readonly path: string; readonly line: number }[];
  /** Places that no index can follow, in the files that were met. */
  readonly blind: readonly { readonly path: string; readonly line: number; readonly what: string }[];
  /** There is more than was looked for. */
  readonly isCut: boolean;
}

/** How many steps are collected at most. */
const MOST = 500;

/** Who calls a symbol, who calls those, and so on. */
export function traceCallers(view: View, symbol: SymbolRef, depth: number): Trace {
  const steps = follow(view, symbol, depth, (one) =>
    view.calls.callersOf(one).map((edge) => ({ edge, far: edge.from })),
  );
  const files = [...view.program.files()].map(({ file }) => file);
  return { calls: steps.calls, isCut: steps.isCut, unresolved: [], blind: blindIn(files, symbol) };
}

/** What a symbol calls, what those call, and so on. */
export function traceCallees(view: View, symbol: SymbolRef, depth: number): Trace {
  const own = view.calls.calleesOf(symbol);
  const steps = follow(view, symbol, depth, (one) => {
    const { edges } = one === symbol ? own : view.calls.calleesOf(one);
    return edges.map((edge) => ({ edge, far: edge.to }));
  });
  const unresolved = own.unresolved
    .filter(({ candidates }) => candidates.length === 0)
    .map(({ call: { file, fact } }) => ({ name: wordsOf(fact.callee), path: file.path, line: fact.line }))
    .filter(({ name }) => name !== '');
  const blind = blindIn([...steps.met].map(({ file }) => file));
  return { calls: steps.calls, isCut: steps.isCut, unresolved, blind };
}

interface Step {
  readonly edge: CallEdge;
  /** Where the chain goes on; null at the top of a file. */
  readonly far: SymbolRef | null;
}

/** Goes along a kind of call, level by level. What is only possible is shown, and not followed. */
function follow(
  view: View,
  symbol: SymbolRef,
  depth: number,
  stepsFrom: (symbol: SymbolRef) => readonly Step[],
): { readonly calls: readonly TracedCall[]; readonly met: ReadonlySet<SymbolRef>; readonly isCut: boolean } {
  const calls: TracedCall[] = [];
  const met = new Set<SymbolRef>([symbol]);
  let level: readonly SymbolRef[] = [symbol];
  for (let at = 1; at <= depth && level.length > 0 && calls.length < MOST; at += 1) {
    const next: SymbolRef[] = [];
    for (const { edge, far } of level.flatMap(stepsFrom)) {
      calls.push(stepOf(view, edge, far, at));
      if (far === null || edge.certainty === 'possible' || met.has(far)) continue;
      met.add(far);
      next.push(far);
    }
    level = next;
  }
  return { calls: calls.slice(0, MOST), met, isCut: calls.length > MOST || level.length > 0 };
}

function stepOf(
  { program }: View,
  { call, certainty }: CallEdge,
  far: SymbolRef | null,
  depth: number,
): TracedCall {
  const name = far === null ? '(file)' : fullNameOf(program, far);
  const definedAt = far === null ? call.file.path : `${far.file.path}:${far.fact.span.line}`;
  return { depth, name, path: call.file.path, line: call.fact.line, definedAt, certainty };
}

/** Blind spots of some files; of a whole workspace only those that could hide a call of the symbol: in files of its language. */
function blindIn(files: readonly IndexedFile[], symbol?: SymbolRef): Trace['blind'] {
  const near =
    symbol === undefined ? files : files.filter(({ language }) => language === symbol.file.language);
  return [...new Set(near)]
    .flatMap(({ path, facts }) => facts.blind.map(({ line, what }) => ({ path, line, what })))
    .slice(0, 20);
}

/** An expression as it was written, as far as it is known. */
function wordsOf(expr: Expr): string {
  switch (expr?.[0]) {
    case 'name':
      return expr[1].replace(/^(?:use|require) /, '');
    case 'self':
      return 'this';
    case 'super':
      return 'super';
    case 'member':
      return `${wordsOf(expr[1]) || '…'}.${expr[2]}`;
    case 'call':
      return `${wordsOf(expr[1])}()`;
    case 'object':
      return wordsOf(expr[1]);
    case 'element':
      return `${wordsOf(expr[1])}[…]`;
    default:
      return '';
  }
}

/** An import of a chain: 1 for those of the file that was asked for. */
export interface TracedImport extends ImportEdge {
  readonly depth: number;
}

/** What a file imports, or who imports it, to a depth. */
export function traceDependencies(
  { imports }: View,
  path: string,
  direction: 'imports' | 'importers',
  depth: number,
): readonly TracedImport[] {
  const found: TracedImport[] = [];
  const seen = new Set([path]);
  let level = [path];
  for (let at = 1; at <= depth && level.length > 0; at += 1) {
    const next: string[] = [];
    for (const edge of level.flatMap((one) =>
      direction === 'imports' ? imports.of(one) : imports.ofOthers(one),
    )) {
      found.push({ ...edge, depth: at });
      const far = direction === 'imports' ? edge.to : edge.from;
      if (far === null || seen.has(far)) continue;
      seen.add(far);
      next.push(far);
    }
    level = next;
  }
  return found.slice(0, MOST);
}
