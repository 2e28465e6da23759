/** The policy's one question: may this line run without asking? */
import { errorText } from '@bullpen/contracts';
import { judgeCharacters } from './characters.js';
import { MAX_COMMANDS } from './judge-call.js';
import { APPROVED, executeOff, newLineState, toPart, type Effect, type LineState } from './line-state.js';
import { allowsAll } from './lists.js';
import { baseName, isDownloader, isInterpreter, isShell } from './program-name.js';
import { quickScan } from './quick-scan.js';
import { finding, reasonOf, worst, type Finding, type RuleId } from './rules.js';
import { lineSource } from './source.js';
import type { CommandContext, CommandPolicySettings, CommandVerdict, Span } from './types.js';
import { walkText } from './walk.js';

/** Longer lines are not parsed: nobody could read what they approve. Dangers in them are looked for by text. */
const MAX_LENGTH = 8_192;

/**
 * The verdict on a command line. Never throws, whatever the text; takes time in proportion to its length. The strictest
 * finding of the line decides, and what cannot be parsed or resolved is asked, never approved.
 */
export function judgeCommand(
  line: string,
  settings: CommandPolicySettings,
  context: CommandContext,
): CommandVerdict {
  const state = newLineState(line, settings, context);
  if (line.length > MAX_LENGTH) {
    const message = `The line is longer than ${MAX_LENGTH} characters; put it into a file.`;
    state.findings.push(...quickScan(line, settings), finding('line.too_long', message, clip(line)));
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
  // What was not understood must not hide what is denied.
  if (state.findings.some(({ rule }) => rule === 'parse.error' || rule === 'line.too_deep')) {
    state.findings.push(...quickScan(line, settings));
  }
  judgeTogether(state);
  return verdict(state);
}

/** What no single command shows. */
function judgeTogether(state: LineState): void {
  if (state.parts.length === 0 && state.findings.length === 0) {
    state.findings.push(finding('line.empty', 'There is no command in the line.', clip(state.line)));
  }
  if (state.parts.length > MAX_COMMANDS) {
    const message = `The line holds more than ${MAX_COMMANDS} commands.`;
    state.findings.push(finding('line.too_many_commands', message, clip(state.line)));
  }
  for (const run of state.codeRuns) {
    const write = state.writes.find(
      ({ part, isPlain, paths }) => part !== run.part && (!isPlain || mayRun(run, paths)),
    );
    if (write === undefined) continue;
    const message = `It runs project code that ${write.span.text} may have changed in the same line.`;
    run.part.findings.push(finding('project_code.written_here', message, write.span));
    break;
  }
  downloadThenRun(state);
}

/** Whether what was written, whatever its name, is among the files that the words of a run name. */
function mayRun({ part, paths }: Effect, written: readonly string[]): boolean {
  if (part.args.some(({ kind }) => kind === 'glob')) return true;
  return paths.some((path) => written.some((file) => path === file || path.startsWith(`${file}/`)));
}

/** `curl -o x …; sh x`: fetched and run in one line. */
function downloadThenRun(state: LineState): void {
  const from = state.parts.findIndex(
    ({ args }) => args[0] !== undefined && isDownloader(baseName(args[0].value)),
  );
  if (from < 0) return;
  const runner = state.parts.slice(from + 1).find(({ args }) => {
    const [name, ...rest] = args;
    if (name === undefined) return false;
    const base = baseName(name.value);
    const runsFile =
      (isShell(base) || isInterpreter(base) || base === 'source' || base === '.') &&
      rest.some(({ value }) => !value.startsWith('-'));
    return (
      runsFile ||
      name.value.includes('/') ||
      (base === 'chmod' && rest.some(({ value }) => /x|7|5/.test(value)))
    );
  });
  if (runner === undefined) return;
  runner.findings.push(
    finding('dangerous.download_then_run', 'It runs what the line has just fetched.', runner.span),
  );
}

function verdict(state: LineState): CommandVerdict {
  const { settings, line } = state;
  const isException = settings.dangerousExceptions.some(
    (text) => text.trim() === line.trim() && text.trim() !== '',
  );
  const parts = state.parts.map((record) => toPart(record, settings));
  const all: Finding[] = [...state.findings, ...state.parts.flatMap(({ findings }) => findings)].sort(
    (a, b) => a.span.start - b.span.start,
  );
  const found = worst(all);
  const isLifted = found !== null && found.decision !== 'deny' && (isException || allowsAll(settings));
  if (found !== null && !isLifted) {
    const { decision, rule, message, span } = found;
    return { decision, rule, reason: reasonOf(rule), message, span, parts };
  }
  if (!settings.allowExecute) {
    const off = executeOff(clip(line));
    return {
      decision: 'ask',
      rule: off.rule,
      reason: reasonOf(off.rule),
      message: off.message,
      span: off.span,
      parts,
    };
  }
  const rule = found === null ? approvingRule(state) : isException ? 'approve.exception' : 'approve.list';
  return { decision: 'approve', rule, reason: reasonOf(rule), message: APPROVED[rule], span: null, parts };
}

/** The most particular of the grounds on which the parts are approved. */
function approvingRule({ parts }: LineState): Extract<RuleId, keyof typeof APPROVED> {
  const rules = parts.map(({ approvedBy }) => approvedBy);
  if (rules.includes('approve.exception')) return 'approve.exception';
  return rules.includes('approve.list') ? 'approve.list' : 'approve.known';
}

function clip(line: string): Span {
  return { start: 0, end: line.length, text: line.length > 200 ? `${line.slice(0, 200)}…` : line };
}
