/** What the policy knows about one program. */
import type { Arg } from '../words.js';
import type { LineState, PartRecord } from '../line-state.js';
import type { Finding } from '../rules.js';
import type { TreeUse } from '../tree.js';
import type { FlagTable, ValueKind } from './flag-table.js';

/** What an operand is: a value's kind, a git revision or path, a file that is run, or the name of a script or target of the project. */
export type OperandKind = ValueKind | 'rev' | 'script' | 'target';

/**
 * How a program reads its words. `gnu`: letters can be bundled, flags anywhere. `posix`: likewise, but flags end at the first
 * operand. `long`: a word is one flag (`-name`, `--name`), flags anywhere. `long-posix`: both.
 */
export type FlagStyle = 'gnu' | 'posix' | 'long' | 'long-posix';

export interface ProgramSchema {
  readonly style?: FlagStyle;
  readonly flags?: FlagTable;
  /** Known to run programs, write files or reach the network: not even an allow entry covers them unless it names them. */
  readonly refused?: FlagTable;
  /** Kinds of the operands in order; `kind*` for any number. Empty or absent: none. */
  readonly operands?: readonly string[];
  /** No flag of the program does harm, so a file whose name looks like one does none either. */
  readonly harmlessFlags?: boolean;
  /** Whether `$?`, `$PWD` and the like are fine as operands. */
  readonly variables?: boolean;
  /** It runs code of the project. */
  readonly runsCode?: boolean;
  /** How it goes through whole folders, reading all files; null: it does not, with these flags. */
  readonly deep?: (flags: readonly GivenFlag[]) => TreeUse | null;
  /** It rewrites the files that it is given, or all below a folder. */
  readonly rewrites?: Rewriting;
  readonly subcommands?: Readonly<Record<string, ProgramSchema>>;
  /** The schema for use without a subcommand; absent: the subcommand must be one of the known. */
  readonly bare?: ProgramSchema;
  /** For programs that read their words in a way of their own: judges them all, in place of the tables. */
  readonly judge?: (words: ProgramWords) => readonly Finding[];
  /** What flags and operands alone cannot say. */
  readonly check?: (use: ProgramUse) => readonly Finding[];
}

/** When a formatter or fixer changes files in place. */
export interface Rewriting {
  /** With one of these flags; absent: always. */
  readonly with?: readonly string[];
  /** Not with one of these. */
  readonly but?: readonly string[];
  /** Names of the files that it changes in a folder. */
  readonly files: RegExp;
}

/** The words behind a program's name. */
export interface ProgramWords {
  readonly program: string;
  readonly args: readonly Arg[];
  readonly state: LineState;
  readonly part: PartRecord;
}

export interface GivenFlag {
  readonly name: string;
  readonly value: string | null;
  readonly arg: Arg;
}

/** A program's words, read by its schema. */
export interface ProgramUse {
  readonly program: string;
  readonly flags: readonly GivenFlag[];
  readonly operands: readonly Arg[];
  /** How many operands stood in front of `--`; null: there was none. */
  readonly beforeDashes: number | null;
  readonly state: LineState;
  readonly part: PartRecord;
}
