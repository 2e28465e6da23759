/** Who calls a symbol and what it calls, with how sure that is. */
import { familyOf } from '../languages/language.js';
import type { Evaluator } from './evaluate.js';
import { isType } from './evaluate.js';
import { lastName } from './names.js';
import { Origins } from './origin.js';
import type { CallRef, Program, SymbolRef } from './program.js';

/**
 * - `direct`: scopes, imports and stated types lead there;
 * - `interface`: they lead to an interface, or to a type above, whose method this one stands for;
 * - `possible`: what it is called on is not known, and this method is one of those that it may be.
 */
export type Certainty = 'direct' | 'interface' | 'possible';

export interface CallEdge {
  /** The caller; null: the top of the file. */
  readonly from: SymbolRef | null;
  readonly call: CallRef;
  readonly to: SymbolRef;
  readonly certainty: Certainty;
}

/** A call that nothing in the workspace is known for. `candidates`: what it may mean. */
export interface UnresolvedCall {
  readonly call: CallRef;
  readonly candidates: readonly SymbolRef[];
}

export interface ResolvedCall {
  readonly targets: readonly { readonly symbol: SymbolRef; readonly certainty: Certainty }[];
  readonly isResolved: boolean;
}

/** Names under which a class's own making is written. */
const CONSTRUCTORS = ['constructor', '__init__', '__new__', 'new'];

export class Calls {
  private readonly origins: Origins;

  constructor(
    private readonly program: Program,
    private readonly evaluator: Evaluator,
  ) {
    this.origins = new Origins(program, evaluator);
  }

  /** What one call leads to. */
  resolve({ file, fact }: CallRef): ResolvedCall {
    const within = fact.within === null ? null : this.program.symbol(file.path, fact.within);
    const values = this.evaluator.evaluate(fact.callee, { file, within });
    const symbols = values.flatMap((value) => {
      if (value.kind === 'symbol' && isCallable(value.symbol)) return [value.symbol];
      if (fact.callee?.[0] === 'super' && value.kind === 'object') return [value.symbol];
      return [];
    });
    if (symbols.length > 0) {
      const direct = new Set(symbols.flatMap((symbol) => this.withConstructor(this.definitionOf(symbol))));
      // A call on `super` means that very method, whatever stands for it below.
      const isFixed = fact.callee?.[0] === 'member' && fact.callee[1]?.[0] === 'super';
      const through = isFixed
        ? []
        : [...direct].flatMap((symbol) => this.standsFor(symbol)).filter((symbol) => !direct.has(symbol));
      return {
        isResolved: true,
        targets: [
          ...[...direct].map((symbol) => ({ symbol, certainty: 'direct' as const })),
          ...[...new Set(through)].map((symbol) => ({ symbol, certainty: 'interface' as const })),
        ],
      };
    }
    return {
      isResolved: false,
      targets: this.candidates({ file, fact }).map((symbol) => ({ symbol, certainty: 'possible' as const })),
    };
  }

  /** Where a function that is only declared is written; itself for all others. */
  definitionOf(symbol: SymbolRef): SymbolRef {
    if (symbol.fact.isDeclaration !== true) return symbol;
    const type = this.typeOf(symbol);
    const defined = this.program
      .symbolsNamed(symbol.fact.name)
      .filter(
        ({ fact, file }) =>
          fact.isDeclaration !== true &&
          fact.kind === symbol.fact.kind &&
          file.language === symbol.file.language,
      );
    return (
      defined.find((other) => this.typeOf(other) === type && (type !== null || other.fact.isExported)) ??
      symbol
    );
  }

  private typeOf(symbol: SymbolRef): SymbolRef | null {
    const container = this.program.container(symbol);
    return container !== null && isType(container)
      ? container
      : this.evaluator.typeAround({ file: symbol.file, within: symbol });
  }

  /** All calls that lead, or may lead, to a symbol. */
  callersOf(asked: SymbolRef): readonly CallEdge[] {
    const symbol = this.definitionOf(asked);
    const edges: CallEdge[] = [];
    for (const name of this.namesOf(symbol))
      for (const call of this.program.callsNamed(name)) {
        if (familyOf(call.file.language) !== familyOf(symbol.file.language)) continue;
        const found = this.resolve(call).targets.find((target) => target.symbol === symbol);
        if (found === undefined) continue;
        const { within } = call.fact;
        const from = within === null ? null : this.program.symbol(call.file.path, within);
        edges.push({ from, call, to: symbol, certainty: found.certainty });
      }
    return edges;
  }

  /** All that the body of a symbol calls, what is inside of it included. */
  calleesOf(symbol: SymbolRef): {
    readonly edges: readonly CallEdge[];
    readonly unresolved: readonly UnresolvedCall[];
  } {
    const inner = this.bodiesOf(symbol);
    const edges: CallEdge[] = [];
    const unresolved: UnresolvedCall[] = [];
    for (const fact of symbol.file.facts.calls) {
      if (fact.within === null || !inner.has(fact.within)) continue;
      const call = { file: symbol.file, fact };
      const { isResolved, targets } = this.resolve(call);
      const from = this.program.symbol(symbol.file.path, fact.within);
      edges.push(
        ...targets.map((target) => ({ from, call, to: target.symbol, certainty: target.certainty })),
      );
      if (!isResolved) unresolved.push({ call, candidates: targets.map((target) => target.symbol) });
    }
    return { edges, unresolved };
  }

  private bodiesOf(symbol: SymbolRef): ReadonlySet<number> {
    const found = new Set([symbol.at]);
    for (const at of found) {
      const one = this.program.symbol(symbol.file.path, at);
      for (const inner of one === null ? [] : this.program.inside(one)) found.add(inner.at);
    }
    return found;
  }

  /** Every word that a call of the symbol may end with: its name, and those that imports and exports give it. */
  private namesOf(symbol: SymbolRef): ReadonlySet<string> {
    const isMember = symbol.fact.kind === 'method';
    const container = this.program.container(symbol);
    const own =
      CONSTRUCTORS.includes(symbol.fact.name) && container !== null
        ? [container.fact.name, 'super', symbol.fact.name]
        : [symbol.fact.name];
    const names = new Set(own);
    if (isMember && own.length === 1) return names;
    const isDefault = symbol.fact.name === 'default' || this.isDefaultExport(symbol.fact.name);
    // A name given on may be given on again.
    for (let before = -1; before !== names.size;) {
      before = names.size;
      for (const { file } of this.program.files()) {
        for (const { name, local } of file.facts.imports)
          if (local !== '' && local !== '*' && (names.has(name) || (isDefault && name === 'default')))
            names.add(local);
        for (const { name, local } of file.facts.exports)
          if (names.has(local) && name !== '*' && name !== 'default') names.add(name);
      }
    }
    if (isType(symbol)) names.add('super');
    return names;
  }

  /** Whether a file gives a name as its default, which others then call as they like. */
  private isDefaultExport(name: string): boolean {
    for (const { file } of this.program.files())
      if (file.facts.exports.some((one) => one.name === 'default' && one.local === name)) return true;
    return false;
  }

  /** A class that is called or made runs its constructor, where it has one of its own. */
  private withConstructor(symbol: SymbolRef): readonly SymbolRef[] {
    if (!isType(symbol)) return [symbol];
    const made = this.program
      .inside(symbol)
      .filter(({ fact }) => CONSTRUCTORS.includes(fact.name) || fact.name === symbol.fact.name);
    return [symbol, ...made];
  }

  /** Methods that run in place of one: those of types below it, or of types that have all that an interface asks for. */
  private standsFor(method: SymbolRef): readonly SymbolRef[] {
    if (method.fact.kind !== 'method') return [];
    const type =
      this.program.container(method) ?? this.evaluator.typeAround({ file: method.file, within: method });
    if (type === null || !isType(type)) return [];
    const others = this.program
      .symbolsNamed(method.fact.name)
      .filter(
        (other) =>
          other !== method && other.fact.kind === 'method' && other.file.language === method.file.language,
      );
    return others.filter((other) => {
      const its = this.typeOf(other);
      return its !== null && its !== type && this.isBelow(its, type);
    });
  }

  private isBelow(type: SymbolRef, above: SymbolRef, depth = 8): boolean {
    if (depth === 0) return false;
    const bases = this.evaluator.basesOf(type);
    if (bases.includes(above) || bases.some((base) => base !== type && this.isBelow(base, above, depth - 1)))
      return true;
    // Go's types say nothing: one fits an interface that asks for no more than it has.
    if (type.file.language !== 'go' || above.fact.kind !== 'interface' || type.fact.kind === 'interface')
      return false;
    const has = new Set(this.evaluator.ownMembers(type).map(({ fact }) => fact.name));
    const asked = this.evaluator.ownMembers(above);
    return asked.length > 0 && asked.every(({ fact }) => has.has(fact.name));
  }

  /** Methods of that name, where what they are called on is not known. A bare name that nobody knows is of no one here. */
  private candidates({ file, fact }: CallRef): readonly SymbolRef[] {
    const { callee } = fact;
    if (callee?.[0] !== 'member') return [];
    const within = fact.within === null ? null : this.program.symbol(file.path, fact.within);
    if (this.origins.isOutside(callee[1], { file, within })) return [];
    return this.program
      .symbolsNamed(lastName(callee))
      .filter(
        ({ fact: one, file: its }) =>
          one.kind === 'method' && familyOf(its.language) === familyOf(file.language),
      );
  }
}

function isCallable(symbol: SymbolRef): boolean {
  return symbol.fact.kind === 'function' || symbol.fact.kind === 'method' || isType(symbol);
}
