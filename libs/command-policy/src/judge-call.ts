/** The verdict on one simple command: lists, dangers, what is inside it, and what its program's schema says. */
import type { Redirection } from 'unbash';
import { findDangers, namesSecret } from './dangerous/index.js';
import { globMayNameSecret, isSecret } from './file-names.js';
import type { LineState, PartRecord } from './line-state.js';
import { isException, matchLists, type ListMatch } from './lists.js';
import { baseName, unjudged } from './program-name.js';
import { programSchema } from './programs/index.js';
import { judgeRedirection } from './redirects.js';
import { finding, isFinal, type Finding } from './rules.js';
import { judgeRefused, judgeUse } from './schema/judge-use.js';
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
}

/** Past this many commands only dangers and the deny list are looked at; the line is asked anyway. */
export const MAX_COMMANDS = 50;

/** `sudo env timeout nice …`: more than anyone needs. */
const MAX_WRAPPERS = 8;

/** Judges a command and everything that it runs; adds them to the line's parts. */
export function judgeCall(args: readonly Arg[], state: LineState, place: CallPlace): void {
  const [name] = args;
  const program = name === undefined || name.kind !== 'literal' ? null : baseName(name.value);
  const part: PartRecord = {
    args,
    program,
    span: place.span,
    findings: [...place.findings],
    approvedBy: 'approve.known',
  };
  state.parts.push(part);
  for (const arg of args) if (arg.trouble !== null) part.findings.push(arg.trouble);
  if (name === undefined) {
    part.findings.push(...withoutProgram(place));
    addRedirections(part, state, place);
    return;
  }
  const call = { program: baseName(name.value), args: args.slice(1), span: place.span };
  const match = matchLists(args, state.settings) ?? place.allowedBy ?? null;
  if (match?.decision === 'deny') {
    part.findings.push(finding('list.deny', `The deny list has ${match.entry.join(' ')}.`, place.span));
  }
  part.findings.push(...findDangers(call, place.input.text));
  if (state.parts.length <= MAX_COMMANDS) judgeProgram(name, part, state, place, match);
  else judgeInner(part, state, place, match);
  addRedirections(part, state, place);
  if (isException(args, state.settings)) except(part);
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

function judgeProgram(
  name: Arg,
  part: PartRecord,
  state: LineState,
  place: CallPlace,
  match: ListMatch | null,
): void {
  if (name.kind !== 'literal') {
    if (name.trouble === null)
      part.findings.push(finding('subset.program_word', 'It is not clear which program runs.', name.span));
    judgeInner(part, state, place, match);
    return;
  }
  if (name.quoted)
    part.findings.push(
      finding('subset.program_word', 'The name of the program is quoted or escaped.', name.span),
    );
  const schemaName = nameForSchema(name.value);
  if (/^(pushd|popd|dirs)$/.test(name.value)) state.folders = [...state.folders, '/'];
  const isInner = judgeInner(part, state, place, match);
  if (match?.decision === 'allow') {
    part.approvedBy = 'approve.list';
    if (!isInner) part.findings.push(...judgeListed(part, state, schemaName, match));
    addSecrets(part);
    return;
  }
  // What find itself does is judged too; other wrappers do nothing but run.
  if (isInner && schemaName !== 'find') return;
  const schema = schemaName === null ? undefined : programSchema(schemaName);
  if (schema !== undefined && schemaName !== null) {
    part.findings.push(...judgeUse(schemaName, part.args.slice(1), schema, state, part));
    return;
  }
  part.findings.push(unjudged(name.value, name.span));
  addSecrets(part);
}

/** What an allow entry does not cover: code given in the line, paths that lead away, flags that run or write, unless it names them. */
function judgeListed(
  part: PartRecord,
  state: LineState,
  schemaName: string | null,
  match: ListMatch,
): Finding[] {
  const schema = schemaName === null ? undefined : programSchema(schemaName);
  if (schema === undefined || schemaName === null) return [];
  const args = part.args.slice(1);
  const strict = judgeUse(schemaName, args, schema, state, part).filter(
    ({ rule, span }) => NEVER_LISTED.test(rule) && !match.entry.includes(span.text),
  );
  return [...strict, ...judgeRefused(args, schema, match.entry)];
}

const NEVER_LISTED = /^(dangerous\.|path\.|flags\.refused$|program\.runs_code$|git\.other_folder$)/;

function addSecrets(part: PartRecord): void {
  const secret = namesSecret(part.args.slice(1));
  if (secret !== null)
    part.findings.push(
      finding('dangerous.credentials', `${secret.span.text} may hold secrets.`, secret.span),
    );
}

/**
 * The name under which the tables know a program: by itself, in a folder of the system, or among the project's own tools.
 * Null for any other path.
 */
function nameForSchema(value: string): string | null {
  if (!value.includes('/')) return value;
  const known =
    /^(?:\/usr)?\/bin\/([\w.[-]+)$|^(?:\.\/)?node_modules\/\.bin\/([\w.-]+)$|^\.\/(gradlew|mvnw)$/.exec(
      value,
    );
  // A file of that name is not what bash does itself: it takes the shell nowhere.
  if (/^(cd|export|set|exit|wait|type|command|:)$/.test(known?.[1] ?? '')) return null;
  return known?.[1] ?? known?.[2] ?? known?.[3] ?? null;
}

/** Judges what a wrapper or a shell runs. Returns whether the program was one. */
function judgeInner(part: PartRecord, state: LineState, place: CallPlace, match: ListMatch | null): boolean {
  const [name, ...args] = part.args;
  if (name === undefined) return false;
  const program = baseName(name.value);
  const wrappers = place.wrappers ?? 0;
  if (wrappers >= MAX_WRAPPERS) {
    part.findings.push(finding('line.too_deep', 'Commands are wrapped too deeply to judge.', part.span));
    return true;
  }
  const unwrapped = unwrap(program, args, place.span);
  if (unwrapped !== null) {
    const isFromFind = program === 'xargs' && readsFoundFiles(args, place.input);
    const wrapperFindings = isFromFind ? [] : unwrapped.findings;
    part.findings.push(...wrapperFindings, ...hiddenScript({ program, args, part, state, place }));
    for (const inner of unwrapped.inner) {
      const added = isFromFind ? foundFiles(place.span) : comesLater(place.span);
      const words = program === 'find' ? inner.map(found) : unwrapped.addsWords ? [...inner, added] : inner;
      const [first] = inner;
      const at = first === undefined ? 0 : part.args.indexOf(first);
      const allowed = match?.decision === 'allow' && match.entry.length > at && at > 0;
      const end = inner.at(-1)?.span.end ?? place.span.end;
      const start = first?.span.start ?? place.span.start;
      const span = { start, end, text: state.line.slice(start, end) };
      judgeCall(words, state, {
        ...place,
        span,
        findings: [],
        redirects: [],
        isAssignment: false,
        allowedBy: allowed ? match : null,
        wrappers: wrappers + 1,
      });
      // What runs as a program of its own cannot take the shell elsewhere.
      if (program !== 'command' && program !== 'builtin') state.cdTargets = null;
    }
    return true;
  }
  return judgeShell({ program, args, part, state, place });
}

/** A file that find puts in place of `{}`: it begins with the folder that find starts in, so it is never a flag. */
function found(arg: Arg): Arg {
  if (arg.value === '{}') return { ...arg, kind: 'glob', value: './*' };
  if (!arg.value.includes('{}')) return arg;
  return {
    ...arg,
    kind: 'unknown',
    trouble: finding('subset.expansion', 'find puts a file name into this word.', arg.span),
  };
}

/** `find … -print0 | xargs -0 …`: whole names, each beginning with the folder that find starts in. */
function readsFoundFiles(args: readonly Arg[], { upstream }: Input): boolean {
  const [only] = upstream;
  if (upstream.length !== 1 || only?.program !== 'find' || only.findings.length > 0) return false;
  const words = only.args.map(({ value }) => value);
  if (words.some((word) => isSecret(word) || globMayNameSecret(word))) return false;
  if (
    !words.includes('-print0') ||
    words.some((word) => /^-(print|printf|ls|exec\w*|ok\w*|f\w*)$/.test(word))
  )
    return false;
  const command = args.findIndex(({ value }) => !value.startsWith('-'));
  return (
    command > 0 &&
    args.slice(0, command).every(({ value }) => /^(-0|-0r|-r0|-r|--null|--no-run-if-empty)$/.test(value)) &&
    args.slice(0, command).some(({ value }) => /0|null/.test(value))
  );
}

function foundFiles(span: Span): Arg {
  return { kind: 'glob', value: './*', span, quoted: false, trouble: null };
}

/** Words that xargs and the like add from their input. */
function comesLater(span: Span): Arg {
  const trouble = finding('subset.expansion', 'More arguments come from the input.', span);
  return { kind: 'unknown', value: '', span, quoted: false, trouble };
}
