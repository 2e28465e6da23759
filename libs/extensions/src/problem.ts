/** What is wrong with an extension: said to people, with the place, while everything else runs. */

/** One fault inside a file. */
export interface Flaw {
  /** Counted from 1; null when it is about the file as a whole. */
  readonly line: number | null;
  readonly message: string;
}

/** A fault and where it is. `file` is a path, or the name of a module that could not be found. */
export interface ExtensionProblem extends Flaw {
  readonly file: string;
}

/** What takes log lines: a part of any logger. */
interface WarningLog {
  warn(fields: object, message: string): void;
}

/** Tells the log of a process what it does without. */
export function tellProblems(problems: readonly ExtensionProblem[], log: WarningLog): void {
  for (const problem of problems)
    log.warn({ extension: problem.file, line: problem.line }, `left out: ${problemText(problem)}`);
}

/** One line, as compilers write it: editors and terminals make a link of the place. */
export function problemText({ file, line, message }: ExtensionProblem): string {
  return `${file}${line === null ? '' : `:${line}`}: ${message}`;
}
