/** What a decision is made of: the call, what judges commands, the outcome. */
import type { Autonomy, CommandPartView, ToolGroup } from '@bullpen/contracts';
import type { JudgeCommand } from '../../ports/command-judge.js';
import type { CallFacts } from '../../ports/tool.js';

/** A call to be decided about: the tool, and what `inspect` found out about its arguments. */
export interface PolicyCall {
  readonly tool: string;
  readonly group: ToolGroup;
  readonly facts: CallFacts;
}

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
