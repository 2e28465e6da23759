/** The policy's one question: may this line run without asking? */
import { errorText } from '@bullpen/contracts';
import { judgeCharacters } from './characters.js';
import { MAX_COMMANDS } from './judge-call.js';
import { APPROVED, decisive, executeOff, newLineState, toPart, type LineState } from './line-state.js';
import { finding, holds, reasonOf, type Finding, type RuleId } from './rules.js';
import { lineSource } from './source.js';
import type { CommandContext, CommandPolicySettings, CommandVerdict, Span } from './types.js';
import { walkText } from './walk.js';

/** Longer lines are not parsed: nobody could read what they approve. */
const MAX_LENGTH = 32_768;

/**
 * The verdict on a command line. Never throws, whatever the text; takes time in proportion to its length. The strictest
 * finding of the line decides, and what cannot be parsed is asked, never approved.
 */
export function judgeCommand(
  line: string,
  settings: CommandPolicySettings,
  context: CommandContext,
): CommandVerdict {
  const state = newLineState(line, settings, context);
  if (line.length > MAX_LENGTH) {
    const message = `The line is longer than ${MAX_LENGTH} characters; put it into a file.`;
    state.findings.push(finding('line.too_long', message, clip(line)));
    return verdict(state);
  }
  state.findings.push(...judgeCharacters(line));
  try {
    walkText(lineSource(line), state, { text: null, upstream: [] });
  } catch (error) {
    // The parser and the walk recurse: a line that nests deeper than the stack is one that nobody can read.
    const why = errorText(error);
    state.findings.push(finding('parse.error', `The line cannot be parsed: ${why}.`, clip(line)));
  }
  if (state.parts.length === 0 && state.findings.length === 0)
    state.findings.push(finding('line.empty', 'There is no command in the line.', clip(line)));
  if (state.parts.length > MAX_COMMANDS) {
    const message = `The line holds more than ${MAX_COMMANDS} commands.`;
    state.findings.push(finding('line.too_many_commands', message, clip(line)));
  }
  return verdict(state);
}

function verdict(state: LineState): CommandVerdict {
  const { settings, line } = state;
  const isException = settings.dangerousExceptions.some(
    (text) => text.trim() === line.trim() && text.trim() !== '',
  );
  const parts = state.parts.map((record) => toPart(record, state));
  const all: Finding[] = [...state.findings, ...state.parts.flatMap(({ findings }) => findings)]
    .filter(({ rule }) => holds(rule, state.context))
    .sort((a, b) => a.span.start - b.span.start);
  const decided = decisive(all, state);
  const found = isException && decided?.decision !== 'deny' ? null : decided;
  const stops = found ?? (settings.allowExecute ? null : executeOff(clip(line)));
  if (stops !== null) {
    const { decision, rule, message, span } = stops;
    return { decision, rule, reason: reasonOf(rule), message, span, parts };
  }
  const isLifted = all.length > 0;
  const rule = !isLifted ? approvingRule(state) : isException ? 'approve.exception' : 'approve.list';
  return { decision: 'approve', rule, reason: reasonOf(rule), message: APPROVED[rule], span: null, parts };
}

/** The most particular of the grounds on which the parts are approved. */
function approvingRule({ parts }: LineState): Extract<RuleId, keyof typeof APPROVED> {
  const rules = new Set(parts.map(({ approvedBy }) => approvedBy));
  return (
    (['approve.exception', 'approve.list', 'approve.boxed'] as const).find((rule) => rules.has(rule)) ??
    'approve.known'
  );
}

function clip(line: string): Span {
  return { start: 0, end: line.length, text: line.length > 200 ? `${line.slice(0, 200)}…` : line };
}
