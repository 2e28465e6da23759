/** Which files import which: worked out once for each view, since who imports a file is written in all the others. */
import type { Evaluator } from './evaluate.js';
import type { IndexedFile, Program } from './program.js';

/** One import between files. */
export interface ImportEdge {
  readonly from: string;
  readonly line: number;
  /** The file that is imported; null for a module outside of the workspace. */
  readonly to: string | null;
  /** The module as it is written. */
  readonly module: string;
}

export class Imports {
  private importers: ReadonlyMap<string, readonly ImportEdge[]> | null = null;

  constructor(
    private readonly program: Program,
    private readonly evaluator: Evaluator,
  ) {}

  /** What a file imports. */
  of(path: string): readonly ImportEdge[] {
    const file = this.program.file(path);
    return file === null ? [] : this.edgesOf(file);
  }

  /** The imports of a file by others. */
  ofOthers(path: string): readonly ImportEdge[] {
    this.importers ??= this.reversed();
    return this.importers.get(path) ?? [];
  }

  private reversed(): ReadonlyMap<string, readonly ImportEdge[]> {
    const found = new Map<string, ImportEdge[]>();
    for (const { file } of this.program.files())
      for (const edge of this.edgesOf(file)) {
        if (edge.to === null) continue;
        const known = found.get(edge.to);
        if (known === undefined) found.set(edge.to, [edge]);
        else known.push(edge);
      }
    return found;
  }

  private edgesOf(file: IndexedFile): readonly ImportEdge[] {
    const lines = new Map<string, number>();
    for (const { from, line } of file.facts.imports) if (!lines.has(from)) lines.set(from, line);
    for (const { from } of file.facts.exports) if (from !== null && !lines.has(from)) lines.set(from, 1);
    return [...lines].flatMap(([module, line]): ImportEdge[] => {
      const files = this.evaluator.modules.resolve(module, file);
      return files.length === 0
        ? [{ from: file.path, line, to: null, module }]
        : files.map(({ path }) => ({ from: file.path, line, to: path, module }));
    });
  }
}
