/**
 * What an expression stands for, by scopes, imports and the types that the text states. Where the text does not say, the answer is
 * nothing: an index that guesses by bare names sends its readers to the wrong place.
 */
import type { Expr } from '../facts/facts.js';
import { bareNamesAreMembers, familyOf } from '../languages/language.js';
import type { Modules } from './modules.js';
import { folderOf, type IndexedFile, type Program, type SymbolRef } from './program.js';
import { OpenQuestions, Recall } from './recall.js';

export type Value =
  /** The thing that a name stands for: a function, a class, a variable. */
  | { readonly kind: 'symbol'; readonly symbol: SymbolRef }
  /** Something whose type is this symbol. */
  | { readonly kind: 'object'; readonly symbol: SymbolRef }
  /** A module as a whole: its files. */
  | { readonly kind: 'module'; readonly files: readonly IndexedFile[] };

/** Where an expression stands. */
export interface Place {
  readonly file: IndexedFile;
  /** The symbol around; null: the file itself. */
  readonly within: SymbolRef | null;
}

/** Types name types, and functions give what others give: far enough for real code, and an end for circles. */
const DEPTH = 16;
const NOTHING: readonly Value[] = [];

export class Evaluator {
  private readonly open = new OpenQuestions();
  private readonly names = new Recall<IndexedFile, Value>(this.open);
  private readonly exports = new Recall<IndexedFile, Value>(this.open);
  private readonly held = new Recall<SymbolRef, Value>(this.open);
  private readonly bases = new Recall<SymbolRef, SymbolRef>(this.open);
  private readonly members = new Recall<SymbolRef, SymbolRef>(this.open);
  private readonly locals = new Recall<SymbolRef, Value>(this.open);
  private readonly types = new Recall<IndexedFile, SymbolRef>(this.open);

  constructor(
    private readonly program: Program,
    readonly modules: Modules,
  ) {}

  evaluate(expr: Expr, place: Place, depth = DEPTH): readonly Value[] {
    if (expr === null || depth <= 0) return NOTHING;
    switch (expr[0]) {
      case 'name':
        return this.name(expr[1], place);
      case 'self':
        return objects(this.typeAround(place));
      case 'super':
        return this.basesOf(this.typeAround(place)).map((symbol) => ({ kind: 'object', symbol }));
      case 'member':
        return this.evaluate(expr[1], place, depth - 1).flatMap((value) => this.member(value, expr[2]));
      case 'call':
        // Of `cls()`: the receiver stands for its class.
        if (expr[1]?.[0] === 'self') return objects(this.typeAround(place));
        return this.evaluate(expr[1], place, depth - 1).flatMap((value) => this.given(value));
      case 'object':
        return this.evaluate(expr[1], place, depth - 1).flatMap((value) => this.objectOf(value));
      case 'element':
        return NOTHING;
    }
  }

  /** The type whose members are read around a place: a class, or the type that a method is written for. */
  typeAround({ file, within }: Place): SymbolRef | null {
    for (let symbol = within; symbol !== null; symbol = this.program.container(symbol)) {
      if (isType(symbol)) return symbol;
      const { owner } = symbol.fact;
      if (owner !== undefined) return this.typeNamed(owner, file);
    }
    return null;
  }

  /** A type by the name that a method of it is written for: in the same file, folder, or anywhere in C++. */
  typeNamed(name: string, file: IndexedFile): SymbolRef | null {
    return (
      this.types.of(file, name, () => [this.findType(name, file)].filter((one) => one !== null))[0] ?? null
    );
  }

  private findType(name: string, file: IndexedFile): SymbolRef | null {
    const family = familyOf(file.language);
    const all = this.program
      .symbolsNamed(name.split(/::|\./).at(-1) ?? name)
      .filter((symbol) => isType(symbol) && familyOf(symbol.file.language) === family);
    return (
      all.find((symbol) => symbol.file.path === file.path) ??
      all.find((symbol) => folderOf(symbol.file.path) === folderOf(file.path)) ??
      (all.length === 1 ? (all[0] ?? null) : null)
    );
  }

  /** Members of a type by name, its own before those that it inherits. */
  membersOf(type: SymbolRef, name: string): readonly SymbolRef[] {
    return this.members.of(type, name, () => {
      const own = this.ownMembers(type).filter(({ fact }) => fact.name === name);
      return own.length > 0 ? own : this.basesOf(type).flatMap((base) => this.membersOf(base, name));
    });
  }

  /** What is written in a type, or elsewhere for it. */
  ownMembers(type: SymbolRef): readonly SymbolRef[] {
    const outside = this.program
      .methodsOwned(type.fact.name)
      .filter((method) => this.typeNamed(method.fact.owner ?? '', method.file) === type);
    return [...this.program.inside(type), ...outside];
  }

  basesOf(type: SymbolRef | null): readonly SymbolRef[] {
    if (type === null || type.fact.bases.length === 0) return [];
    return this.bases.of(type, '', () => {
      const place = { file: type.file, within: this.program.container(type) };
      return type.fact.bases
        .flatMap((base) => this.evaluate(base, place))
        .flatMap((value) => (value.kind === 'module' || value.symbol === type ? [] : [value.symbol]));
    });
  }

  private name(name: string, place: Place): readonly Value[] {
    const bare = bareNamesAreMembers(familyOf(place.file.language));
    for (let scope = place.within; scope !== null; scope = this.program.container(scope)) {
      // A name like `valueOf` is no local because objects have it.
      const holds = Object.hasOwn(scope.fact.locals, name) ? scope.fact.locals[name] : undefined;
      if (holds !== undefined) return this.local(scope, name, holds);
      if (!isType(scope) && scope.fact.kind !== 'variable') {
        const inner = this.program.inside(scope).find(({ fact }) => fact.name === name);
        if (inner !== undefined) return this.meaning(inner);
      } else if (bare || scope.fact.kind === 'enum') {
        const members = this.membersOf(scope, name);
        if (members.length > 0) return members.flatMap((member) => this.meaning(member));
      }
      if (bare && scope.fact.owner !== undefined) {
        const type = this.typeNamed(scope.fact.owner, place.file);
        const members = type === null ? [] : this.membersOf(type, name);
        if (members.length > 0) return members.flatMap((member) => this.meaning(member));
      }
    }
    return this.fileName(name, place.file);
  }

  private local(scope: SymbolRef, name: string, holds: Expr): readonly Value[] {
    const within = this.program.container(scope) ?? scope;
    return this.locals.of(scope, name, () => this.evaluate(holds, { file: scope.file, within }));
  }

  /** What a name means at the top of a file: its own, what it imports, what its package has. */
  fileName(name: string, file: IndexedFile): readonly Value[] {
    return this.names.of(file, name, () => this.findFileName(name, file));
  }

  private findFileName(name: string, file: IndexedFile): readonly Value[] {
    const own = this.program
      .topLevel(file.path)
      .filter(({ fact }) => fact.name === name && fact.owner === undefined);
    if (own.length > 0) return own.flatMap((symbol) => this.meaning(symbol));
    const imported = file.facts.imports.filter(({ local }) => local === name);
    if (imported.length > 0) return imported.flatMap((one) => this.imported(one.from, one.name, file));
    return this.modules.around(file, name).flatMap((symbol) => this.meaning(symbol));
  }

  private imported(from: string, name: string, file: IndexedFile): readonly Value[] {
    const files = this.modules.resolve(from, file);
    if (files.length === 0) return NOTHING;
    if (name === '*') return [{ kind: 'module', files }];
    return files.flatMap((module) => this.exported(module, name));
  }

  /** What a module has under a name, through all that pass it on. */
  exported(module: IndexedFile, name: string): readonly Value[] {
    return this.exports.of(module, name, () => this.findExported(module, name));
  }

  private findExported(module: IndexedFile, name: string): readonly Value[] {
    const { exports } = module.facts;
    const named = exports.filter((one) => one.name === name);
    const found = named.flatMap(({ local, from }) =>
      from === null ? this.fileName(local, module) : this.imported(from, local, module),
    );
    if (found.length > 0) return found;
    // `import x from` a module of the other kind gives all of it.
    if (name === 'default' && named.length === 0 && familyOf(module.language) === 'script')
      return exports.length > 0 ? [{ kind: 'module', files: [module] }] : NOTHING;
    const own = this.program
      .topLevel(module.path)
      .filter(
        ({ fact }) => fact.name === name && (fact.isExported || familyOf(module.language) !== 'script'),
      );
    if (own.length > 0) return own.flatMap((symbol) => this.meaning(symbol));
    const passed = exports
      .filter((one) => one.name === '*')
      .flatMap(({ from }) => (from === null ? [] : this.modules.resolve(from, module)));
    const through = passed.flatMap((next) => this.exported(next, name));
    if (through.length > 0) return through;
    if (familyOf(module.language) === 'script') return NOTHING;
    // Python passes on what it imports, and a package has its modules.
    const imported = module.facts.imports.filter(({ local }) => local === name);
    if (imported.length > 0) return imported.flatMap((one) => this.imported(one.from, one.name, module));
    const inner = this.modules.submodule(module, name);
    return inner.length > 0 ? [{ kind: 'module', files: inner }] : NOTHING;
  }

  /** A name of a variable stands for what it holds, one of anything else for itself. */
  private meaning(symbol: SymbolRef): readonly Value[] {
    if (symbol.fact.kind !== 'variable') return [{ kind: 'symbol', symbol }];
    const hasMembers = this.program.inside(symbol).length > 0;
    const held = this.typeOf(symbol, this.program.container(symbol));
    return hasMembers ? [{ kind: 'object', symbol }, ...held] : held;
  }

  private member(value: Value, name: string): readonly Value[] {
    if (value.kind === 'module') return value.files.flatMap((file) => this.exported(file, name));
    const { symbol } = value;
    if (value.kind === 'symbol' && symbol.fact.kind === 'module')
      return this.program
        .inside(symbol)
        .filter(({ fact }) => fact.name === name)
        .flatMap((one) => this.meaning(one));
    return this.membersOf(symbol, name).flatMap((member) => this.meaning(member));
  }

  /** What a call of something gives. */
  private given(value: Value): readonly Value[] {
    if (value.kind !== 'symbol') return NOTHING;
    const { symbol } = value;
    if (isType(symbol)) return objects(symbol);
    if (symbol.fact.kind !== 'function' && symbol.fact.kind !== 'method') return NOTHING;
    return this.typeOf(symbol, symbol);
  }

  /** Something of the type that a value is; an alias is the type that it stands for. */
  private objectOf(value: Value): readonly Value[] {
    if (value.kind !== 'symbol') return NOTHING;
    const { symbol } = value;
    if (symbol.fact.kind !== 'type' || this.program.inside(symbol).length > 0 || symbol.fact.type === null)
      return objects(symbol);
    return this.typeOf(symbol, this.program.container(symbol));
  }

  /** What the text says that a symbol holds or gives. */
  private typeOf(symbol: SymbolRef, within: SymbolRef | null): readonly Value[] {
    return this.held.of(symbol, '', () => this.evaluate(symbol.fact.type, { file: symbol.file, within }));
  }
}

function objects(symbol: SymbolRef | null): readonly Value[] {
  return symbol === null ? NOTHING : [{ kind: 'object', symbol }];
}

/** Whether a symbol has members: a class, an interface, an alias, an enum. */
export function isType({ fact: { kind } }: SymbolRef): boolean {
  return kind === 'class' || kind === 'interface' || kind === 'type' || kind === 'enum';
}
