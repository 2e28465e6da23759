/** What is known so far while a line is walked from left to right. */
import { allowsAll } from './lists.js';
import { worst, finding, reasonOf, type Finding } from './rules.js';
import type { CommandContext, CommandPart, CommandPolicySettings, Span } from './types.js';
import type { Arg } from './words.js';

/** A simple command as it was found, before its verdict is final. */
export interface PartRecord {
  readonly args: readonly Arg[];
  readonly program: string | null;
  readonly span: Span;
  readonly findings: Finding[];
  approvedBy: 'approve.known' | 'approve.list' | 'approve.exception';
}

/** Something in a part that matters to other parts of the line. */
export interface Effect {
  readonly part: PartRecord;
  readonly span: Span;
  /** Tidied absolute paths: what is written, or what the words of a run may name. */
  readonly paths: readonly string[];
}

export interface WriteEffect extends Effect {
  /** Whether, by its name, nobody runs it by chance. */
  readonly isPlain: boolean;
}

export interface LineState {
  readonly line: string;
  readonly settings: CommandPolicySettings;
  readonly context: CommandContext;
  readonly parts: PartRecord[];
  /** Findings that belong to the line and to no simple command. */
  readonly findings: Finding[];
  /** The folders that the shell may be in by now; several when a `cd` may or may not have worked. */
  folders: readonly string[];
  /** Where the command just judged has taken the shell, when it was a `cd`. */
  cdTargets: readonly string[] | null;
  /** Tidied absolute paths that the line may have replaced by links: targets of moves and recursive copies. */
  readonly moved: string[];
  /** Writes whose content a later command may run. */
  readonly writes: WriteEffect[];
  /** Places that run code of the project. */
  readonly codeRuns: Effect[];
  depth: number;
  /** How many words the patterns of the line have become. */
  expanded: number;
}

export function newLineState(
  line: string,
  settings: CommandPolicySettings,
  context: CommandContext,
): LineState {
  return {
    line,
    settings,
    context,
    parts: [],
    findings: [],
    folders: [context.cwd],
    cdTargets: null,
    moved: [],
    writes: [],
    codeRuns: [],
    depth: 0,
    expanded: 0,
  };
}

/** The part as people see it. */
export function toPart(record: PartRecord, settings: CommandPolicySettings): CommandPart {
  const worstFound = worst(record.findings);
  const isLifted = worstFound !== null && worstFound.decision !== 'deny' && allowsAll(settings);
  const found = (isLifted ? null : worstFound) ?? (settings.allowExecute ? null : executeOff(record.span));
  const approvedBy = isLifted ? 'approve.list' : record.approvedBy;
  return {
    text: record.span.text,
    program: record.program,
    words: record.args.map((arg) => arg.value),
    span: record.span,
    decision: found?.decision ?? 'approve',
    rule: found?.rule ?? approvedBy,
    reason: reasonOf(found?.rule ?? approvedBy),
    message: found?.message ?? APPROVED[approvedBy],
  };
}

/** Nothing speaks against the command but that no command may run unasked. */
export function executeOff(span: Span): Finding {
  return finding('execute.off', 'Running commands without asking is off.', span);
}

export const APPROVED = {
  'approve.known': 'Every program in it is known, with harmless flags only.',
  'approve.list': 'It is on the allow list.',
  'approve.exception': 'It is listed as an exception for dangerous commands.',
} as const;
