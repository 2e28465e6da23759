/** What is known so far while a line is walked from left to right. */
import { allowsAll } from './lists.js';
import { finding, holds, isUnread, reasonOf, worst, type Finding } from './rules.js';
import type { CommandContext, CommandPart, CommandPolicySettings, Span } from './types.js';
import type { Arg, Variables } from './arg.js';

/** A simple command as it was found, before its verdict is final. */
export interface PartRecord {
  readonly args: readonly Arg[];
  readonly program: string | null;
  readonly span: Span;
  /** What it reads, when the line shows it. */
  readonly input: string | null;
  readonly findings: Finding[];
  approvedBy: 'approve.known' | 'approve.boxed' | 'approve.list' | 'approve.exception';
}

export interface LineState {
  readonly line: string;
  readonly settings: CommandPolicySettings;
  readonly context: CommandContext;
  /** Whether only what is known to read may pass. */
  readonly readsOnly: boolean;
  readonly parts: PartRecord[];
  /** Findings that belong to the line and to no simple command. */
  readonly findings: Finding[];
  readonly variables: Variables;
  /** The folders that the shell may be in by now; several when a `cd` may or may not have worked. */
  folders: readonly string[];
  /** Where the command just judged has taken the shell, when it was a `cd`. */
  cdTargets: readonly string[] | null;
  depth: number;
  /** How many loops and functions stand around the command. */
  loops: number;
  /** How many words the patterns of the line have become. */
  expanded: number;
}

/** What is known before the first word of a line is read. */
export function newLineState(
  line: string,
  settings: CommandPolicySettings,
  context: CommandContext,
): LineState {
  // Where nothing may be written, the box is of no help: it does not tell what a program changes in the workspace.
  const readsOnly = !context.boxed || !settings.allowWrite;
  return {
    ...{ line, settings, readsOnly },
    context: readsOnly ? { ...context, boxed: false } : context,
    parts: [],
    findings: [],
    // Outside of the workspace, wherever they are.
    variables: new Map([
      ['HOME', '/home/user/home'],
      ['TMPDIR', '/tmp'],
    ]),
    folders: [context.cwd],
    cdTargets: null,
    depth: 0,
    loops: 0,
    expanded: 0,
  };
}

/** The finding that decides, of those that hold here and that the lists do not lift. */
export function decisive(findings: readonly Finding[], { settings, context }: LineState): Finding | null {
  const found = worst(findings.filter(({ rule }) => holds(rule, context)));
  const isLifted =
    found !== null && found.decision !== 'deny' && !isUnread(found.rule) && allowsAll(settings);
  return isLifted ? null : found;
}

/** The part as people see it. */
export function toPart(record: PartRecord, state: LineState): CommandPart {
  const { settings } = state;
  const decided = decisive(record.findings, state);
  const found = decided ?? (settings.allowExecute ? null : executeOff(record.span));
  const isLifted = decided === null && record.findings.some(({ rule }) => holds(rule, state.context));
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
  'approve.known': 'It only reads what agents may see.',
  'approve.boxed': 'The box holds it, and it endangers neither the work nor what others get.',
  'approve.list': 'It is on the allow list.',
  'approve.exception': 'It is listed as an exception for dangerous commands.',
} as const;
