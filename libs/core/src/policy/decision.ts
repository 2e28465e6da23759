/** What a decision is made of: the call, what judges commands, the outcome. */
import type { Autonomy, CommandPartView, PolicyRules, ToolGroup } from '@bullpen/contracts';
import type { CallFacts } from '../tool.js';

/** A call to be decided about: the tool, and what `inspect` found out about its arguments. */
export interface PolicyCall {
  readonly tool: string;
  readonly group: ToolGroup;
  readonly facts: CallFacts;
}

/** What judging a command line needs to know of a policy. */
export interface CommandSettings {
  readonly allowExecute: boolean;
  readonly allowWrite: boolean;
  readonly allowProjectCode: boolean;
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

export interface DecisionContext {
  readonly autonomy: Autonomy;
  /** Whether the tool is among those that the task is offered. */
  readonly offered: boolean;
  readonly judgeCommand: JudgeCommand;
}

export interface Decision {
  readonly verdict: 'approve' | 'deny' | 'ask';
  /** The setting, list or rule that decided. */
  readonly rule: string;
  /** A stable code in snake case. */
  readonly code: string;
  /** A sentence for a person and for the model. */
  readonly reason: string;
  /** The part of the arguments that decided. */
  readonly part?: string;
  /** The commands of a line, each with its own verdict. */
  readonly parts?: readonly CommandPartView[];
}

/** A decision with the commands that it was found by. */
export type Judged = Decision & { readonly parts: readonly CommandPartView[] };
