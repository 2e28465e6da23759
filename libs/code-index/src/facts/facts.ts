/**
 * What one file says, apart from all others: definitions, imports, calls and the types that its text states. A pure function of the
 * language and the text, so it is kept by the hash of the content. Nothing here is resolved; that is the linker's.
 */

export type SymbolKind =
  'function' | 'method' | 'class' | 'interface' | 'type' | 'enum' | 'variable' | 'module';

/** Where something stands. Lines and columns count from 1, in characters as editors show them. */
export interface Span {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
}

/** An expression as far as it can name something. Small tuples: a large index has a million of them. */
export type Expr =
  /** A name that a scope knows. */
  | readonly ['name', string]
  /** `this`, `self`, the receiver of a method. */
  | readonly ['self']
  | readonly ['super']
  | readonly ['member', Expr, string]
  /** What a call gives. */
  | readonly ['call', Expr]
  /** An object of a type. */
  | readonly ['object', Expr]
  /** An element of a collection. */
  | readonly ['element', Expr]
  | null;

export interface SymbolFact {
  readonly name: string;
  readonly kind: SymbolKind;
  /** The symbol that it is defined in, as a place in `symbols`; null: the file. */
  readonly container: number | null;
  readonly span: Span;
  /** It can be seen from other files. */
  readonly isExported: boolean;
  /** What a function gives, or what a variable or field holds, as its text says. */
  readonly type: Expr;
  /** Classes and interfaces that it extends or implements. */
  readonly bases: readonly Expr[];
  /** Names that are known inside of it: parameters and variables, with what they hold. */
  readonly locals: Readonly<Record<string, Expr>>;
  /** For a method that is written outside of its type (Go, Rust, C++): that type. */
  readonly owner?: string;
  /** It is only declared here; what it does is written elsewhere (C, C++). */
  readonly isDeclaration?: true;
}

/** `name` of the module `from` is known here as `local`. `*`: the module itself. */
export interface ImportFact {
  readonly local: string;
  readonly from: string;
  readonly name: string;
  readonly line: number;
}

/** `name` can be had from this file: a name that it knows, or one of another module. `*` passes on all of it. */
export interface ExportFact {
  readonly name: string;
  readonly local: string;
  readonly from: string | null;
}

export interface CallFact {
  /** The symbol whose body has the call, as a place in `symbols`; null: the file itself. */
  readonly within: number | null;
  readonly callee: Expr;
  readonly line: number;
  readonly column: number;
  /** `new X()`, or the language's way of making an object. */
  readonly isNew: boolean;
}

/** A place where a name is made at run time, so that no index can follow. */
export interface BlindSpot {
  readonly line: number;
  readonly what: string;
}

export interface FileFacts {
  readonly symbols: readonly SymbolFact[];
  readonly imports: readonly ImportFact[];
  readonly exports: readonly ExportFact[];
  readonly calls: readonly CallFact[];
  readonly blind: readonly BlindSpot[];
  /** Lines that the parser could not read. */
  readonly unread: readonly number[];
  /** The package that it says to be in (Go, Java); empty for others. */
  readonly package: string;
}
