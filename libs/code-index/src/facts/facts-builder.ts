/** Collects the facts of a file while its tree is walked; knows the symbol that is being read. */
import type {
  BlindSpot,
  CallFact,
  ExportFact,
  Expr,
  FileFacts,
  ImportFact,
  SymbolFact,
  SymbolKind,
} from './facts.js';
import type { Source, Syntax } from './syntax.js';

interface OpenSymbol extends SymbolFact {
  type: Expr;
  isExported: boolean;
  readonly bases: Expr[];
  readonly locals: Record<string, Expr>;
}

export interface Definition {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly node: Syntax;
  readonly isExported?: boolean;
  readonly type?: Expr;
  readonly bases?: readonly Expr[];
  readonly owner?: string | undefined;
  readonly isDeclaration?: boolean;
}

export class FactsBuilder {
  private readonly symbols: OpenSymbol[] = [];
  private readonly imports: ImportFact[] = [];
  private readonly exports: ExportFact[] = [];
  private readonly calls: CallFact[] = [];
  private readonly blind: BlindSpot[] = [];
  private readonly open: number[] = [];
  package = '';

  constructor(readonly source: Source) {}

  /** The symbol that is being read; null: the file. */
  get current(): number | null {
    return this.open.at(-1) ?? null;
  }

  /** The nearest symbol of a kind around what is being read. */
  around(...kinds: readonly SymbolKind[]): SymbolFact | null {
    const at = this.open.findLast((open) => kinds.includes(this.symbols[open]?.kind ?? 'module'));
    return at === undefined ? null : (this.symbols[at] ?? null);
  }

  /** Adds a symbol, and reads what is inside of it. */
  define(
    {
      name,
      kind,
      node,
      isExported = false,
      type = null,
      bases = [],
      owner,
      isDeclaration = false,
    }: Definition,
    inside?: () => void,
  ): void {
    const symbol: OpenSymbol = {
      name,
      kind,
      container: this.current,
      span: { line: node.row + 1, column: this.source.columnOf(node), endLine: node.endRow + 1 },
      isExported,
      type,
      bases: [...bases],
      locals: Object.create(null) as Record<string, Expr>,
      ...(owner === undefined ? {} : { owner }),
      ...(isDeclaration ? { isDeclaration } : {}),
    };
    this.symbols.push(symbol);
    if (inside === undefined) return;
    this.open.push(this.symbols.length - 1);
    inside();
    this.open.pop();
  }

  /** A name that is known in the innermost function (or class, or file) with what it holds. The first that says something counts. */
  local(name: string, holds: Expr): void {
    const symbol = this.symbols[this.current ?? -1];
    if (symbol !== undefined) symbol.locals[name] ??= holds;
  }

  /** What a field of the class around holds, found outside of its declaration (`self.x = X()`). */
  field(name: string, holds: Expr, node: Syntax): void {
    const at = this.open.findLast((open) => this.symbols[open]?.kind === 'class');
    if (at === undefined) return;
    const known = this.symbols.find((symbol) => symbol.container === at && symbol.name === name);
    if (known !== undefined) known.type ??= holds;
    else {
      const inner = this.open.splice(this.open.indexOf(at) + 1);
      this.define({ name, kind: 'variable', node, type: holds });
      this.open.push(...inner);
    }
  }

  /** What the innermost symbol gives, where that is known only inside of it. */
  gives(type: Expr): void {
    const symbol = this.symbols[this.current ?? -1];
    if (symbol !== undefined) symbol.type ??= type;
  }

  /** A type of this file, found outside of its own text to have one above it. */
  base(type: string, above: Expr): void {
    this.symbols
      .find(({ name, kind }) => name === type && (kind === 'class' || kind === 'enum'))
      ?.bases.push(above);
  }

  call(callee: Expr, node: Syntax, isNew = false): void {
    this.calls.push({
      within: this.current,
      callee,
      line: node.row + 1,
      column: this.source.columnOf(node),
      isNew,
    });
  }

  import(local: string, from: string, name: string, node: Syntax): void {
    this.imports.push({ local, from, name, line: node.row + 1 });
  }

  export(name: string, local: string, from: string | null = null): void {
    this.exports.push({ name, local, from });
    const symbol =
      from === null ? this.symbols.find((one) => one.container === null && one.name === local) : undefined;
    if (symbol !== undefined) symbol.isExported = true;
  }

  blindSpot(node: Syntax, what: string): void {
    this.blind.push({ line: node.row + 1, what });
  }

  build(): FileFacts {
    const { symbols, imports, exports, calls, blind } = this;
    const unread = [...new Set(this.source.brokenRows.map((row) => row + 1))];
    return { symbols, imports, exports, calls, blind, unread, package: this.package };
  }
}
