/** Who calls a symbol and what it calls, with how sure that is. */
import type { CallFact } from '../facts/facts.js';
import { familyOf } from '../languages/language.js';
import type { Evaluator } from './evaluate.js';
import { isType } from './evaluate.js';
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
  /** What it leads to, or may lead to. */
  readonly targets: ReadonlyMap<SymbolRef, Certainty>;
  readonly isResolved: boolean;
}

const NOWHERE: ReadonlyMap<SymbolRef, Certainty> = new Map();

/** Names under which a class's own making is written. */
const CONSTRUCTORS = ['constructor', '__init__', '__new__', 'new'];

export class Calls {
  private readonly origins: Origins;
  private readonly resolved = new Map<CallFact, ResolvedCall>();
  /** Methods of a name, by family: what a call on something unknown may mean. */
  private readonly methods = new Map<string, ReadonlyMap<SymbolRef, Certainty>>();
  private readonly substitutes = new Map<SymbolRef, readonly SymbolRef[]>();

  constructor(
    private readonly program: Program,
    private readonly evaluator: Evaluator,
  ) {
    this.origins = new Origins(program, evaluator);
  }

  /** What one call leads to. */
  resolve(call: CallRef): ResolvedCall {
    let found = this.resolved.get(call.fact);
    if (found === undefined) this.resolved.set(call.fact, (found = this.resolveNow(call)));
    return found;
  }

  private resolveNow({ file, fact }: CallRef): ResolvedCall {
    const within = fact.within === null ? null : this.program.symbol(file.path, fact.within);
    const values = this.evaluator.evaluate(fact.callee, { file, within });
    const symbols = values.flatMap((value) => {
      if (value.kind === 'symbol' && isCallable(value.symbol)) return [value.symbol];
      // `super()`, `this()`, `cls()`: the class itself is what runs.
      if ((fact.callee?.[0] === 'super' || fact.callee?.[0] === 'self') && value.kind === 'object')
        return [value.symbol];
      return [];
    });
    if (symbols.length === 0) return { isResolved: false, targets: this.candidates({ file, fact }) };
    const targets = new Map<SymbolRef, Certainty>();
    for (const symbol of symbols)
      for (const made of this.withConstructor(this.definitionOf(symbol))) targets.set(made, 'direct');
    // A call on `super` means that very method, whatever stands for it below.
    const isFixed = fact.callee?.[0] === 'member' && fact.callee[1]?.[0] === 'super';
    for (const symbol of isFixed ? [] : [...targets.keys()])
      for (const other of this.standsFor(symbol)) if (!targets.has(other)) targets.set(other, 'interface');
    return { isResolved: true, targets };
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
        const certainty = this.resolve(call).targets.get(symbol);
        if (certainty === undefined) continue;
        const { within } = call.fact;
        const from = within === null ? null : this.program.symbol(call.file.path, within);
        edges.push({ from, call, to: symbol, certainty });
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
      for (const [to, certainty] of targets) edges.push({ from, call, to, certainty });
      if (!isResolved) unresolved.push({ call, candidates: [...targets.keys()] });
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
        ? [container.fact.name, 'super', 'self', symbol.fact.name]
        : [symbol.fact.name];
    if (isMember && own.length === 1) return new Set(own);
    const names = new Set(own.flatMap((name) => [...this.program.allNamesOf(name)]));
    // As it is called from within.
    if (isType(symbol)) names.add('super').add('self');
    return names;
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
    let found = this.substitutes.get(method);
    if (found === undefined) this.substitutes.set(method, (found = this.findSubstitutes(method)));
    return found;
  }

  private findSubstitutes(method: SymbolRef): readonly SymbolRef[] {
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
  private candidates({ file, fact }: CallRef): ReadonlyMap<SymbolRef, Certainty> {
    const { callee } = fact;
    if (callee?.[0] !== 'member') return NOWHERE;
    const within = fact.within === null ? null : this.program.symbol(file.path, fact.within);
    if (this.origins.isOutside(callee[1], { file, within })) return NOWHERE;
    const family = familyOf(file.language);
    const key = `${family} ${callee[2]}`;
    let found = this.methods.get(key);
    if (found === undefined) {
      const named = this.program.symbolsNamed(callee[2]);
      const methods = named.filter(
        (one) => one.fact.kind === 'method' && familyOf(one.file.language) === family,
      );
      this.methods.set(key, (found = new Map(methods.map((symbol) => [symbol, 'possible']))));
    }
    return found;
  }
}

function isCallable(symbol: SymbolRef): boolean {
  return symbol.fact.kind === 'function' || symbol.fact.kind === 'method' || isType(symbol);
}
