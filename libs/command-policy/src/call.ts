/** A simple command where it stands, while it is judged. */
import type { Redirection } from 'unbash';
import type { LineState, PartRecord } from './line-state.js';
import type { ListMatch } from './lists.js';
import type { Finding } from './rules.js';
import type { Source } from './source.js';
import type { Span } from './types.js';
import type { Arg } from './arg.js';

/** What a command reads: its text when the line shows it, and the commands that write it. */
export interface Input {
  readonly text: string | null;
  readonly upstream: readonly PartRecord[];
}

export const NO_INPUT: Input = { text: null, upstream: [] };

/** Where a command stands. */
export interface CallPlace {
  readonly span: Span;
  readonly source: Source;
  /** What was found in front of the command already. */
  readonly findings: readonly Finding[];
  readonly redirects: readonly Redirection[];
  readonly input: Input;
  /** Commands whose output becomes words of this one. */
  readonly substituted: readonly PartRecord[];
  /** Judges a script that the command runs. */
  readonly judgeText: (source: Source, input: Input) => void;
  /** An allow entry that named the wrapper and this command in it. */
  readonly allowedBy?: ListMatch | null;
  /** How many wrappers stand around the command: then no builtin of the shell is meant. */
  readonly wrappers?: number;
}

export interface Call extends CallPlace {
  readonly name: Arg;
  readonly program: string;
  /** The words behind the name. */
  readonly args: readonly Arg[];
  readonly part: PartRecord;
  readonly state: LineState;
  readonly match: ListMatch | null;
}
