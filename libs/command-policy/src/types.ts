/** What the policy is asked and what it answers. All positions are UTF-16 offsets into the line that was judged. */

export type { CommandContext, FileEntry, FolderView, PathPlace, ProgramPlace } from '@bullpen/core';

export type CommandDecision = 'approve' | 'ask' | 'deny';

/** The offending part of a line. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * What an installation, a project or a task says about commands. Entries of `allow` and `deny` are words (`npm run lint`): an
 * entry matches a command that begins with them; the longest match wins, and deny wins a tie.
 */
export interface CommandPolicySettings {
  /** Whether anything may run without asking. Off: what would be approved is asked; what is denied stays denied. */
  readonly allowExecute: boolean;
  /** Whether an approved command may change files of the workspace. Off: only what is known to read is approved, in the box too. */
  readonly allowWrite: boolean;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Dangerous commands that may run all the same: the whole command, word for word (`rm -rf dist`). Never a catastrophic one. */
  readonly dangerousExceptions: readonly string[];
}

/** Execution allowed, and no lists but the built-in ones. */
export const DEFAULT_COMMAND_POLICY: CommandPolicySettings = {
  allowExecute: true,
  allowWrite: true,
  allow: [],
  deny: [],
  dangerousExceptions: [],
};

/** One simple command of the line with its own verdict. */
export interface CommandPart {
  readonly text: string;
  /** The program's name without its folder; null when it is not known before the line runs. */
  readonly program: string | null;
  readonly words: readonly string[];
  readonly span: Span;
  readonly decision: CommandDecision;
  readonly reason: string;
  readonly rule: string;
  readonly message: string;
}

export interface CommandVerdict {
  readonly decision: CommandDecision;
  /** A stable code in snake case. */
  readonly reason: string;
  /** The id of the rule that decided; `README.md` lists them. */
  readonly rule: string;
  /** A sentence for people. */
  readonly message: string;
  /** What the rule found; null for an approved line. */
  readonly span: Span | null;
  readonly parts: readonly CommandPart[];
}
