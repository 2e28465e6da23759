/** Port: what judges command lines. */
import type { PolicyRules } from '@bullpen/contracts';

/** What judging a command line needs to know of a policy. */
export interface CommandSettings {
  readonly allowExecute: boolean;
  readonly allowWrite: boolean;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly dangerousExceptions: readonly string[];
  /** For the code that resolves paths: what is protected in addition to the defaults. */
  readonly files: PolicyRules['files'];
  /** The hosts that commands in a box may reach. */
  readonly openedHosts: readonly string[];
}

interface SpanLike {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** One simple command of a line, judged by itself. `words` are its own, quotes taken off. */
export interface CommandPartLike {
  readonly text: string;
  readonly words: readonly string[];
  readonly span: SpanLike;
  readonly decision: 'approve' | 'ask' | 'deny';
  readonly reason: string;
  readonly rule: string;
  readonly message: string;
}

/** The verdict on a command line: `reason` is a stable code, `message` a sentence, `span` what decided. */
export interface CommandVerdictLike extends Omit<CommandPartLike, 'text' | 'words' | 'span'> {
  readonly span: SpanLike | null;
  readonly parts: readonly CommandPartLike[];
}

/** Judges a line that starts in `cwd`, relative to the workspace. */
export type JudgeCommand = (line: string, settings: CommandSettings, cwd: string) => CommandVerdictLike;
