/** The verdict on one simple command: lists, dangers, what is inside it, and what its program's schema says. */
import type { Redirection } from 'unbash';
import { findDangers, namesSecret } from './dangerous/index.js';
import { expandWords } from './expand.js';
import { foundByInput, foundBySearch, comesLater } from './found-files.js';
import { knownProgram } from './known-program.js';
import type { LineState, PartRecord } from './line-state.js';
import { isException, matchLists, type ListMatch } from './lists.js';
import { baseName, unjudged } from './program-name.js';
import { programSchema } from './programs/index.js';
import { judgeRedirection } from './redirects.js';
import { finding, isFinal, type Finding } from './rules.js';
import { judgeRefused, judgeUse, noteCodeRun } from './schema/judge-use.js';
import type { ProgramSchema } from './schema/program-schema.js';
import { hiddenScript, judgeShell } from './shells.js';
import type { Source } from './source.js';
import type { Span } from './types.js';
import type { Arg } from './words.js';
import { unwrap } from './wrappers.js';

/** What a command reads: its text when the line shows it, and the commands that write it. */
export interface Input {
  readonly text: string | null;
  readonly upstream: readonly PartRecord[];
}

/** Where a command stands. */
export interface CallPlace {
  readonly span: Span;
  readonly source: Source;
  /** What was found in front of the command already. */
  readonly findings: readonly Finding[];
  readonly redirects: readonly Redirection[];
  readonly isAssignment: boolean;
  readonly input: Input;
  /** Commands whose output becomes words of this one. */
  readonly substituted: readonly PartRecord[];
  /** Judges a script that the command runs. */
  readonly judgeText: (source: Source, input: Input) => void;
  /** An allow entry that named the wrapper and this command in it. */
  readonly allowedBy?: ListMatch | null;
  /** How many wrappers stand around the command. */
  readonly wrappers?: number;
  /** Whether another program starts it: then no builtin of the shell is meant. @defaultValue false */
  readonly isStarted?: boolean;
}

/** Past this many commands only dangers and the deny list are looked at; the line is asked anyway. */
export const MAX_COMMANDS = 50;

/** `sudo env timeout nice …`: more than anyone needs. */
const MAX_WRAPPERS = 8;

/** Judges a command and everything that it runs; adds them to the line's parts. */
export function judgeCall(args: readonly Arg[], state: LineState, place: CallPlace): void {
  const [name, ...given] = args;
  const program = name === undefined || name.kind !== 'literal' ? null : baseName(name.value);
  const part: PartRecord = {
    args,
    program,
    span: place.span,
    findings: [...place.findings],
    approvedBy: 'approve.known',
  };
  state.parts.push(part);
  const words = expandWords(given, state);
  for (const arg of [...(name === undefined ? [] : [name]), ...words])
    if (arg.trouble !== null) part.findings.push(arg.trouble);
  if (name === undefined) {
    part.findings.push(...withoutProgram(place));
    addRedirections(part, state, place);
    return;
  }
  const match = matchLists(args, state.settings) ?? place.allowedBy ?? null;
  if (match?.decision === 'deny') {
    part.findings.push(finding('list.deny', `The deny list has ${match.entry.join(' ')}.`, place.span));
  }
  // Harm by meaning is looked for under whatever name, and in the words as they stand there.
  part.findings.push(
    ...findDangers({ program: baseName(name.value), args: given, span: place.span }, place.input.text),
  );
  const call: Call = { name, words, part, state, place, match };
  if (state.parts.length <= MAX_COMMANDS) judgeProgram(call);
  else judgeInner(call, baseName(name.value));
  addRedirections(part, state, place);
  if (isException(args, state.settings)) except(part);
}

/** A command whose verdict is being made. */
interface Call {
  readonly name: Arg;
  /** The words behind the name, patterns expanded. */
  readonly words: readonly Arg[];
  readonly part: PartRecord;
  readonly state: LineState;
  readonly place: CallPlace;
  readonly match: ListMatch | null;
}

function withoutProgram(place: CallPlace): Finding[] {
  if (place.isAssignment)
    return [finding('subset.assignment', 'An assignment can change what later commands do.', place.span)];
  return [finding('dangerous.truncate', 'A redirection without a command empties the file.', place.span)];
}

/** Redirections count after the command's own words: it opens them, and a later command sees what it wrote. */
function addRedirections(part: PartRecord, state: LineState, place: CallPlace): void {
  for (const redirect of place.redirects) {
    part.findings.push(...judgeRedirection(redirect, place.source, part, state));
    const isWrite = redirect.type === 'Redirect' && /^(>|>\||&>)$/.test(redirect.operator);
    const printsNothing =
      part.program === ':' ||
      part.program === 'true' ||
      (part.program === 'cat' && part.args[1]?.value === '/dev/null');
    if (isWrite && printsNothing && redirect.target?.value !== '/dev/null') {
      part.findings.push(
        finding('dangerous.truncate', 'It empties the file.', place.source.span(redirect.pos, redirect.end)),
      );
    }
  }
}

/** An exact exception lifts everything but what is final. */
function except(part: PartRecord): void {
  const kept = part.findings.filter((found) => isFinal(found.rule) || found.decision === 'deny');
  part.findings.length = 0;
  part.findings.push(...kept);
  part.approvedBy = 'approve.exception';
}

function judgeProgram(call: Call): void {
  const { name, words, part, state, place, match } = call;
  if (name.kind !== 'literal' || name.isExpanded === true) {
    if (name.trouble === null)
      part.findings.push(finding('subset.program_word', 'It is not clear which program runs.', name.span));
    judgeInner(call, baseName(name.value));
    return;
  }
  if (name.quoted)
    part.findings.push(
      finding('subset.program_word', 'The name of the program is quoted or escaped.', name.span),
    );
  if (/^(pushd|popd|dirs)$/.test(name.value)) state.folders = [...state.folders, '/'];
  const known = knownProgram(name.value, place.isStarted !== true, state);
  const isInner = judgeInner(call, known?.name ?? baseName(name.value));
  const schema = known === null ? undefined : programSchema(known.name);
  if (match?.decision === 'allow') {
    part.approvedBy = 'approve.list';
    if (!isInner && known !== null && schema !== undefined)
      part.findings.push(...judgeListed(call, known.name, schema, match));
    // The list names the program that PATH leads to elsewhere, not a file of the project by its name.
    if (known === null && !name.value.includes('/')) part.findings.push(unjudged(name.value, name.span));
    addSecrets(call);
    return;
  }
  // What find itself does is judged too; other wrappers do nothing but run.
  if (isInner && known !== null && known.name !== 'find') return;
  if (known !== null && schema !== undefined) {
    if (known.isProjectCode) part.findings.push(...noteCodeRun(part, state));
    part.findings.push(...judgeUse(known.name, words, schema, state, part, readsPipe(place)));
    return;
  }
  part.findings.push(unjudged(name.value, name.span));
  addSecrets(call);
}

/** What another program starts may be given another input. */
function readsPipe({ input, isStarted }: CallPlace): boolean {
  return input.upstream.length > 0 && isStarted !== true;
}

/** What an allow entry does not cover: code given in the line, paths that lead away, flags that run or write, unless it names them. */
function judgeListed(
  { words, part, state }: Call,
  program: string,
  schema: ProgramSchema,
  match: ListMatch,
): Finding[] {
  const strict = judgeUse(program, words, schema, state, part).filter(
    ({ rule, span }) => NEVER_LISTED.test(rule) && !match.entry.includes(span.text),
  );
  return [...strict, ...judgeRefused(words, schema, match.entry)];
}

const NEVER_LISTED = /^(dangerous\.|path\.|flags\.refused$|program\.runs_code$|git\.other_folder$)/;

function addSecrets({ words, part }: Call): void {
  const secret = namesSecret(words);
  if (secret !== null)
    part.findings.push(
      finding('dangerous.credentials', `${secret.span.text} may hold secrets.`, secret.span),
    );
}

/** Judges what a wrapper or a shell runs. Returns whether the program was one. */
function judgeInner(call: Call, program: string): boolean {
  const { name, words, part, state, place, match } = call;
  const wrappers = place.wrappers ?? 0;
  if (wrappers >= MAX_WRAPPERS) {
    part.findings.push(finding('line.too_deep', 'Commands are wrapped too deeply to judge.', part.span));
    return true;
  }
  const unwrapped = unwrap(program, words, place.span);
  if (unwrapped === null) return judgeShell({ program, args: words, part, state, place });
  const found = program === 'xargs' ? foundByInput(words, place.input, part.span, state) : null;
  const own = found === null ? unwrapped.findings : [];
  part.findings.push(...own, ...hiddenScript({ program, args: words, part, state, place }));
  for (const inner of unwrapped.inner) {
    const [first] = inner;
    const at = first === undefined ? 0 : part.args.indexOf(first);
    const allowed = match?.decision === 'allow' && match.entry.length > at && at > 0;
    const end = inner.at(-1)?.span.end ?? place.span.end;
    const start = first?.span.start ?? place.span.start;
    const added = unwrapped.addsWords && program !== 'find' ? [found ?? comesLater(place.span)] : [];
    judgeCall(program === 'find' ? foundBySearch(inner, words, state) : [...inner, ...added], state, {
      ...place,
      span: { start, end, text: state.line.slice(start, end) },
      findings: [],
      redirects: [],
      isAssignment: false,
      allowedBy: allowed ? match : null,
      wrappers: wrappers + 1,
      isStarted: !/^(command|builtin|time)$/.test(program) || name.value !== program,
    });
    // What runs as a program of its own cannot take the shell elsewhere.
    if (program !== 'command' && program !== 'builtin') state.cdTargets = null;
  }
  return true;
}
