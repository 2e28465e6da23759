/** The verdict on one simple command: lists, dangers, what is inside it, and whether it only reads. */
import { findDangers } from './dangers/find-dangers.js';
import { expandWords } from './expand.js';
import { isSecret } from './file-names.js';
import { areWholeWords, foundArg, parseFind } from './find.js';
import { innerOf } from './inner.js';
import { NO_INPUT, type Call, type CallPlace } from './call.js';
import { isKnownWrapper, knownProgram } from './known-program.js';
import type { LineState, PartRecord } from './line-state.js';
import { isException, matchLists } from './lists.js';
import { joinPath, judgeRead, tidyPath } from './paths.js';
import { baseName, isInterpreter, isShell } from './program-name.js';
import { judgeUse } from './reading/judge-use.js';
import { judgeRedirection } from './redirects.js';
import { finding, isFinal, type Finding } from './rules.js';
import { hiddenScript, judgeScript, runsScripts } from './scripts.js';
import { fixedSource } from './source.js';
import type { Span } from './types.js';
import type { Arg } from './arg.js';

/** Past this many commands only dangers and the deny list are looked at; without a box the line is asked anyway. */
export const MAX_COMMANDS = 50;

/** `sudo env timeout nice …`: more than anyone needs. */
const MAX_WRAPPERS = 8;

/** `"$folder/cargo"`: whatever is in front, this is one word, and ends with a name. */
const KNOWN_END = /^"[^"]*\/[\w.-]+"$/;

/** Judges a command and everything that it runs; adds them to the line's parts. */
export function judgeCall(words: readonly Arg[], state: LineState, place: CallPlace): void {
  const [name, ...args] = words;
  const isClear = name !== undefined && (name.kind === 'literal' || KNOWN_END.test(name.span.text));
  const program = name === undefined ? '' : baseName(name.value);
  const approvedBy = state.readsOnly ? 'approve.known' : 'approve.boxed';
  const part: PartRecord = {
    args: words,
    program: isClear ? program : null,
    span: place.span,
    input: place.input.text,
    findings: [...place.findings],
    approvedBy,
  };
  state.parts.push(part);
  for (const { trouble } of words) if (trouble !== null) part.findings.push(trouble);
  for (const redirect of place.redirects)
    part.findings.push(...judgeRedirection(redirect, place.source, part, state));
  if (name === undefined) return;
  const match = matchLists(words, state.settings) ?? place.allowedBy ?? null;
  const call: Call = { ...place, name, program, args, part, state, match };
  if (match?.decision === 'deny')
    part.findings.push(finding('list.deny', `The deny list has ${match.entry.join(' ')}.`, place.span));
  if (!isClear)
    part.findings.push(finding('program.unclear', 'It is not clear which program runs.', name.span));
  // Harm by meaning is looked for under whatever name, and in the words as they stand there.
  const dangers = findDangers({ program, args, span: place.span }, place.input.text, state);
  const isNamed = match?.decision === 'allow' && match.entry.length > 1;
  part.findings.push(...dangers.filter(({ rule }) => !isNamed || rule !== 'program.publishes'));
  const isAll = judgeInner(call);
  if (state.readsOnly && match?.decision === 'allow') allow(call);
  else if (state.readsOnly && !isAll && state.parts.length <= MAX_COMMANDS) judgeReading(call);
  if (program === 'cd') goTo(args, state);
  forget(program, args, state);
  if (isException(words, state.settings)) except(part);
}

/** An exact exception lifts everything but what is final. */
function except(part: PartRecord): void {
  const kept = part.findings.filter((found) => isFinal(found.rule) || found.decision === 'deny');
  part.findings.splice(0, part.findings.length, ...kept);
  part.approvedBy = 'approve.exception';
}

/** What an allow entry does not cover: secrets by name, paths that lead away, code in the line, a file of the project by that name. */
function allow({ args, part, state, match, name, program, wrappers = 0 }: Call): void {
  part.approvedBy = 'approve.list';
  const kept = part.findings.filter(({ rule }) => rule !== 'program.runs_code' && rule !== 'use.unknown');
  part.findings.splice(0, part.findings.length, ...kept);
  const entry = match?.entry ?? [];
  for (const arg of args.filter(({ kind, value }) => kind === 'literal' && !entry.includes(value))) {
    const { value, span } = arg;
    const isPath = value.startsWith('/') || value.split('/').includes('..');
    const found = isPath ? judgeRead(arg, value, state) : null;
    if (found !== null) part.findings.push(found);
    else if (isSecret(value))
      part.findings.push(finding('dangerous.credentials', `${value} may hold secrets.`, span));
    const isCode = /^(-[a-zA-Z]*[cepr]|--eval|--print)$/.test(value);
    if (isCode && isInterpreter(program) && !isShell(program))
      part.findings.push(
        finding('program.runs_code', `${program} runs code that the entry does not name.`, span),
      );
  }
  if (!name.value.includes('/') && knownProgram(name.value, wrappers === 0, state) === null)
    part.findings.push(unknownProgram(name));
}

function unknownProgram({ value, span }: Arg): Finding {
  return finding('program.unknown', `${value} could be any program.`, span);
}

function judgeReading({ name, args, part, state, span, input, wrappers = 0 }: Call): void {
  if (name.quoted)
    part.findings.push(finding('program.word', 'The name of the program is quoted or escaped.', name.span));
  const known = name.trouble !== null ? null : knownProgram(name.value, wrappers === 0, state);
  if (known === null) {
    part.findings.push(unknownProgram(name));
    return;
  }
  const words = expandWords(args, state);
  for (const { trouble } of words)
    if (trouble !== null && !part.findings.includes(trouble)) part.findings.push(trouble);
  const isFed = input.upstream.length > 0 && wrappers === 0;
  part.findings.push(...judgeUse({ program: known, args: words, span, state, isFed }));
}

/** Programs that set variables to what nobody knows. */
function forget(program: string, args: readonly Arg[], { variables }: LineState): void {
  const isAny = /^(source|\.|eval)$/.test(program);
  if (!isAny && !/^(read|mapfile|readarray|getopts|unset|printf|let)$/.test(program)) return;
  for (const name of variables.keys())
    if (isAny || args.some(({ value }) => value === name)) variables.set(name, null);
}

/** Where `cd` takes the shell, if it works; when nobody knows where, perhaps to the folder above all. */
function goTo(args: readonly Arg[], state: LineState): void {
  const target = args.find(({ value }) => !/^-[LPe@]+$/.test(value));
  const isClear = target?.kind === 'literal' && target.value !== '-';
  const targets = isClear ? state.folders.map((folder) => tidyPath(joinPath(folder, target.value))) : [];
  state.cdTargets = isClear ? targets : null;
  state.folders = [...new Set([...state.folders, ...targets])].slice(0, 16);
}

/** Judges what the call runs. Returns whether the program does nothing else. */
function judgeInner(call: Call): boolean {
  const { name, program, args, part, state, span, source, judgeText, match, wrappers = 0 } = call;
  if (wrappers >= MAX_WRAPPERS) {
    part.findings.push(finding('line.too_deep', 'Commands are wrapped too deeply to judge.', span));
    return true;
  }
  part.findings.push(...hiddenScript(call));
  if (runsScripts(program) && judgeScript(call)) return true;
  const words = program === 'find' && state.readsOnly ? expandWords(args, state) : args;
  const fed = program === 'xargs' ? foundByInput(call) : null;
  const { commands, scripts, isAll, findings } = innerOf(program, words, span, fed);
  part.findings.push(...findings);
  for (const script of scripts) {
    const unclear = script.find(({ kind, value }) => kind !== 'literal' && value !== '');
    if (unclear !== undefined && program === 'eval')
      part.findings.push(finding('program.unclear', 'It is not clear what eval runs.', unclear.span));
    judgeText(fixedSource(script.map(({ value }) => value).join(' '), span), NO_INPUT);
  }
  for (const inner of commands) {
    const [first] = inner;
    if (program === 'xargs' && fed === null) part.findings.push(...toldByInput(inner, span));
    const at = first === undefined ? 0 : part.args.indexOf(first);
    const allowed = match?.decision === 'allow' && match.entry.length > at && at > 0;
    const start = first?.span.start ?? span.start;
    const end = Math.max(start, inner.at(-1)?.span.end ?? span.end);
    const isShort = program === 'xargs' || source.span(0, 0).start !== 0;
    judgeCall(inner, state, {
      ...call,
      span: isShort ? span : { start, end, text: state.line.slice(start, end) },
      findings: [],
      redirects: [],
      allowedBy: allowed ? match : null,
      wrappers: /^(command|builtin|time)$/.test(program) && name.value === program ? wrappers : wrappers + 1,
    });
    // What runs as a program of its own cannot take the shell elsewhere.
    if (program !== 'command' && program !== 'builtin') state.cdTargets = null;
  }
  return isAll && isKnownWrapper(call);
}

/** Programs that do what their first word says. */
const TOLD_BY_WORD =
  /^(git|hg|svn|jj|gh|glab|hub|npm|yarn|pnpm|bun|cargo|twine|docker|podman|kubectl|helm|terraform|aws|az|gcloud|heroku|fly|vercel|netlify|firebase|prisma)$/;

/** What xargs runs when its input says what is done: `echo reset --hard | xargs git`. */
function toldByInput([first, ...rest]: readonly Arg[], span: Span): Finding[] {
  const name = baseName(first?.value ?? '');
  const word = rest.find(({ value }) => !value.startsWith('-'));
  if (word?.kind !== 'unknown' || !(isShell(name) || TOLD_BY_WORD.test(name))) return [];
  return [finding('program.unclear', `It is not clear what ${name} does: its input says it.`, span)];
}

/** What xargs adds when a search feeds it; null when its words can be any. */
function foundByInput({ args, input, span, state }: Call): Arg | null {
  const [search, ...filters] = input.upstream;
  if (search?.program !== 'find' || !filters.every(isFilter)) return null;
  const given = search.args.slice(1);
  if (
    given.some(
      ({ kind, value }) => kind !== 'literal' || /^-(printf|ls|exec\w*|ok\w*|f(print|ls).*)$/.test(value),
    )
  )
    return null;
  const call = parseFind(given);
  const endsByNul = args.some(({ value }) => /^-(\w*0|-null)$/.test(value));
  const printsNul = given.some(({ value }) => value === '-print0');
  const isWhole = endsByNul ? filters.length === 0 : !state.readsOnly || areWholeWords(call, state);
  return endsByNul === printsNul && isWhole ? foundArg(call, span) : null;
}

/** Programs between find and xargs that leave lines out and change none. */
function isFilter({ program, args }: PartRecord): boolean {
  if (args.some(({ kind }) => kind !== 'literal')) return false;
  const words = args.slice(1).map(({ value }) => value);
  const plain = words.filter((word) => !word.startsWith('-'));
  const flags = words.filter((word) => word.startsWith('-')).join(' ');
  if (program === 'grep') return plain.length === 1 && /^(-[vEFiwPe]+ ?)*$/.test(flags);
  if (program === 'head' || program === 'tail')
    return /^(-n|-\d+)?$/.test(flags) && plain.every((word) => /^\d+$/.test(word));
  return (program === 'sort' || program === 'uniq') && plain.length === 0 && /^(-[rnuV]+ ?)*$/.test(flags);
}
