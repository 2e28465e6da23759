/**
 * All files of a workspace with their facts, and what is looked up in them by name. A change of a file replaces its facts and nothing
 * else: calls are resolved when somebody asks, so an update costs the same in a large workspace as in a small one.
 */
import { posix } from 'node:path';
import type { CallFact, FileFacts, SymbolFact } from '../facts/facts.js';
import type { Language } from '../languages/language.js';
import { lastName } from './names.js';

export interface IndexedFile {
  readonly path: string;
  readonly language: Language;
  readonly facts: FileFacts;
}

/** A symbol in its file. There is one object for each, so references can be compared. */
export interface SymbolRef {
  readonly file: IndexedFile;
  readonly at: number;
  readonly fact: SymbolFact;
}

export interface CallRef {
  readonly file: IndexedFile;
  readonly fact: CallFact;
}

interface Entry {
  readonly file: IndexedFile;
  readonly symbols: readonly SymbolRef[];
  /** Symbols by container, `-1` for the file itself. */
  readonly inside: ReadonlyMap<number, readonly SymbolRef[]>;
}

export class Program {
  private readonly entries = new Map<string, Entry>();
  private readonly symbolNames = new NameIndex<SymbolRef>();
  private readonly callNames = new NameIndex<CallRef>();
  private readonly folders = new NameIndex<IndexedFile>();
  private readonly fileNames = new NameIndex<IndexedFile>();
  private readonly owners = new NameIndex<SymbolRef>();
  /** The names that imports and exports give to a name. */
  private readonly otherNames = new NameIndex<string>();
  private readonly defaults = new NameIndex<true>();

  get size(): number {
    return this.entries.size;
  }

  files(): IterableIterator<Entry> {
    return this.entries.values();
  }

  file(path: string): IndexedFile | null {
    return this.entries.get(path)?.file ?? null;
  }

  set(file: IndexedFile): void {
    this.delete(file.path);
    const symbols = file.facts.symbols.map((fact, at): SymbolRef => ({ file, at, fact }));
    const inside = new Map<number, SymbolRef[]>();
    for (const symbol of symbols) {
      const container = symbol.fact.container ?? -1;
      const siblings = inside.get(container);
      if (siblings === undefined) inside.set(container, [symbol]);
      else siblings.push(symbol);
    }
    this.entries.set(file.path, { file, symbols, inside });
    for (const symbol of symbols) {
      this.symbolNames.add(symbol.fact.name, file.path, symbol);
      if (symbol.fact.owner !== undefined) this.owners.add(symbol.fact.owner, file.path, symbol);
    }
    for (const fact of file.facts.calls) this.callNames.add(lastName(fact.callee), file.path, { file, fact });
    this.folders.add(folderOf(file.path), file.path, file);
    this.fileNames.add(posix.basename(file.path), file.path, file);
    this.setOtherNames(file);
  }

  private setOtherNames({ path, facts }: IndexedFile): void {
    for (const { name, local } of facts.imports)
      if (local !== '' && local !== '*' && local !== name) this.otherNames.add(name, path, local);
    for (const { name, local } of facts.exports) {
      if (name === 'default') this.defaults.add(local, path, true);
      else if (name !== '*' && name !== local) this.otherNames.add(local, path, name);
    }
  }

  delete(path: string): void {
    if (!this.entries.delete(path)) return;
    for (const index of [
      this.symbolNames,
      this.callNames,
      this.folders,
      this.fileNames,
      this.owners,
      this.otherNames,
      this.defaults,
    ])
      index.drop(path);
  }

  symbolsNamed(name: string): readonly SymbolRef[] {
    return this.symbolNames.get(name);
  }

  /** Every name that some symbol has. */
  names(): IterableIterator<string> {
    return this.symbolNames.names();
  }

  /** A name with all that imports and exports make of it, and of those in turn. Defaults are called as their importers like. */
  allNamesOf(name: string): ReadonlySet<string> {
    const found = new Set([name]);
    for (const one of found) {
      for (const other of this.otherNames.get(one)) found.add(other);
      if (this.defaults.get(one).length > 0) found.add('default');
    }
    return found;
  }

  /** Calls whose last word is this name, whatever it means there. */
  callsNamed(name: string): readonly CallRef[] {
    return this.callNames.get(name);
  }

  /** Files right in a folder. */
  filesIn(folder: string): readonly IndexedFile[] {
    return this.folders.get(folder);
  }

  /** Files whose name, without its folder, is this. */
  filesNamed(name: string): readonly IndexedFile[] {
    return this.fileNames.get(name);
  }

  /** Methods that are written outside of a type of this name. */
  methodsOwned(type: string): readonly SymbolRef[] {
    return this.owners.get(type);
  }

  symbol(path: string, at: number): SymbolRef | null {
    return this.entries.get(path)?.symbols[at] ?? null;
  }

  /** What is defined right in a symbol. */
  inside({ file, at }: SymbolRef): readonly SymbolRef[] {
    return this.entries.get(file.path)?.inside.get(at) ?? [];
  }

  /** What is defined right in a file. */
  topLevel(path: string): readonly SymbolRef[] {
    return this.entries.get(path)?.inside.get(-1) ?? [];
  }

  container({ file, fact }: SymbolRef): SymbolRef | null {
    return fact.container === null ? null : this.symbol(file.path, fact.container);
  }
}

/** The folder of a path; empty for the root. */
export function folderOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at < 0 ? '' : path.slice(0, at);
}

/** Things by name, of which those of one file can be taken out. */
class NameIndex<T> {
  private readonly byName = new Map<string, Map<string, T[]>>();
  private readonly namesOf = new Map<string, Set<string>>();

  add(name: string, path: string, thing: T): void {
    let paths = this.byName.get(name);
    if (paths === undefined) this.byName.set(name, (paths = new Map()));
    const things = paths.get(path);
    if (things === undefined) paths.set(path, [thing]);
    else things.push(thing);
    const names = this.namesOf.get(path);
    if (names === undefined) this.namesOf.set(path, new Set([name]));
    else names.add(name);
  }

  get(name: string): readonly T[] {
    return [...(this.byName.get(name)?.values() ?? [])].flat();
  }

  names(): IterableIterator<string> {
    return this.byName.keys();
  }

  drop(path: string): void {
    for (const name of this.namesOf.get(path) ?? []) {
      const paths = this.byName.get(name);
      paths?.delete(path);
      if (paths?.size === 0) this.byName.delete(name);
    }
    this.namesOf.delete(path);
  }
}
