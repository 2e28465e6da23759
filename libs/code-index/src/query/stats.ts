/** What the index knows, in numbers; every call is either resolved to a symbol that is stored, or counted as not resolved. */
import type { View } from '../index/code-index.js';

export interface IndexStats {
  readonly files: number;
  readonly generated: number;
  readonly symbols: number;
  readonly calls: number;
  readonly resolved: number;
  /** It may mean one of several methods of the workspace. */
  readonly possible: number;
  /** Nothing in the workspace is known for it: most are calls of libraries. */
  readonly unresolved: number;
  readonly imports: number;
  readonly blindSpots: number;
  /** Files that are left out, and why. */
  readonly skipped: Readonly<Record<string, string>>;
  /** Files that the parser read only in part, with the lines that it could not. */
  readonly partlyRead: Readonly<Record<string, readonly number[]>>;
  readonly languages: Readonly<Record<string, number>>;
}

/** Counts everything; resolves every call, which takes seconds in a large workspace. */
export function statsOf({ program, calls, generated, skipped }: View): IndexStats {
  const count = { symbols: 0, calls: 0, resolved: 0, possible: 0, unresolved: 0, imports: 0, blindSpots: 0 };
  const languages: Record<string, number> = {};
  const partlyRead: Record<string, readonly number[]> = {};
  for (const { file } of program.files()) {
    const { facts, language, path } = file;
    languages[language] = (languages[language] ?? 0) + 1;
    if (facts.unread.length > 0) partlyRead[path] = facts.unread.slice(0, 20);
    count.symbols += facts.symbols.length;
    count.calls += facts.calls.length;
    count.imports += facts.imports.length;
    count.blindSpots += facts.blind.length;
    for (const fact of facts.calls) {
      const { isResolved, targets } = calls.resolve({ file, fact });
      count[isResolved ? 'resolved' : targets.size > 0 ? 'possible' : 'unresolved'] += 1;
    }
  }
  return {
    files: program.size,
    generated: generated.size,
    ...count,
    skipped: Object.fromEntries(skipped),
    partlyRead,
    languages,
  };
}
