/** A call of find: what it may find, the commands that it runs, and whether it only reads. */
import type { Arg, FindCall } from './arg.js';
import { isSecret, patternMayNameSecret } from './file-names.js';
import { judgeRead, joinPath } from './paths.js';
import { finding, type Finding } from './rules.js';
import type { LineState } from './line-state.js';
import { judgeTree, treeOf, type TreeEntry } from './tree.js';
import type { Span } from './types.js';
import { mayMatch, wildcard } from './wildcards.js';

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const ALONE = set(
  '-print -print0 -ls -empty -depth -d -prune -quit -xdev -mount -daystart -noleaf -not ! -o -or -a -and ( ) , -true -false ' +
    '-executable -readable -writable -nouser -nogroup',
);
const WITH_VALUE = set(
  '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime -mmin -atime ' +
    '-amin -ctime -cmin -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -used -fstype -newermt -newerct -newerat',
);
const WITH_FILE = set('-newer -anewer -cnewer -samefile');
const RUNS = set('-exec -execdir -ok -okdir');

/** Reads the words behind `find`. */
export function parseFind(words: readonly Arg[]): FindCall {
  const from = words.findIndex(({ value }) => /^-(?![HLP]$)|^[!(),]$/.test(value));
  const starts = (from < 0 ? words : words.slice(0, from)).filter(({ value }) => !/^-[HLP]$/.test(value));
  const span = words[0]?.span ?? { start: 0, end: 0, text: '.' };
  const here: Arg = { kind: 'literal', value: '.', span, quoted: false, trouble: null };
  return { starts: starts.length === 0 ? [here] : starts, tests: from < 0 ? [] : words.slice(from) };
}

/** Findings on a call of find. Commands behind -exec are judged by whoever unwraps them. */
export function judgeFind(words: readonly Arg[], state: LineState): Finding[] {
  const { starts, tests } = parseFind(words);
  const findings = starts.map((arg) =>
    arg.kind === 'literal' ? judgeRead(arg, arg.value, state) : unclear(arg),
  );
  const follows = words.find(({ value }) => value === '-L' || value === '-H');
  if (follows !== undefined) findings.push(finding('use.unknown', 'find follows links here.', follows.span));
  for (let at = 0; at < tests.length; at += 1) {
    const arg = tests[at] as Arg;
    const { value, span } = arg;
    const next = tests[at + 1];
    if (arg.kind !== 'literal') findings.push(unclear(arg));
    else if (value === '-exec') at = endOf(tests, at);
    else if (WITH_VALUE.has(value) || WITH_FILE.has(value)) {
      at += 1;
      if (next?.kind !== 'literal')
        findings.push(finding('subset.glob', `The value of ${value} is not clear; quote it.`, span));
      else if (WITH_FILE.has(value)) findings.push(judgeRead(next, next.value, state));
    } else if (!ALONE.has(value))
      findings.push(finding('use.unknown', `${value} of find is not known to only read.`, span));
  }
  return findings.filter((found) => found !== null);
}

function unclear({ span }: Arg): Finding {
  return finding('subset.glob', `It is not clear what find makes of ${span.text}.`, span);
}

/** The place of the word that ends the command behind -exec. */
function endOf(words: readonly Arg[], from: number): number {
  const end = words.findIndex(
    ({ value }, at) => at > from && (value === ';' || (value === '+' && words[at - 1]?.value === '{}')),
  );
  return end < 0 ? words.length : end;
}

/** The commands that a call of find runs, each without its end, with what find found in place of `{}`. */
export function commandsOfFind(args: readonly Arg[]): Arg[][] {
  const commands: Arg[][] = [];
  const search = parseFind(args);
  for (let at = 0; at < args.length; at += 1) {
    if (!RUNS.has(args[at]?.value ?? '')) continue;
    const end = endOf(args, at);
    commands.push(
      args.slice(at + 1, end).map((arg) => (arg.value === '{}' ? foundArg(search, arg.span) : insides(arg))),
    );
    at = end;
  }
  return commands;
}

function insides(arg: Arg): Arg {
  if (!arg.value.includes('{}')) return arg;
  const trouble = finding('subset.expansion', 'find puts a file name into this word.', arg.span);
  return { ...arg, kind: 'unknown', trouble };
}

/** The word that stands for whatever a search finds. It begins with the folder that find starts in, so it is never a flag. */
export function foundArg(search: FindCall, span: Span): Arg {
  return { kind: 'glob', value: './*', span, quoted: false, trouble: null, search };
}

const ACTIONS = /^-(exec(dir)?|ok(dir)?|delete|print0?|ls|f(print0?|printf|ls))$/;

/** The alternatives of the tests, each up to its first action; null: too clever for this (a comma, brackets that are turned round). */
function alternatives({ tests }: FindCall): readonly (readonly string[])[] | null {
  const pieces: string[][] = [[]];
  let isActing = false;
  for (let at = 0; at < tests.length; at += 1) {
    const value = tests[at]?.value ?? '';
    const before = tests[at - 1]?.value ?? '';
    if (value === ',' || (value === '(' && /^(!|-not)$/.test(before))) return null;
    if (RUNS.has(value)) at = endOf(tests, at);
    if (/^-or?$/.test(value)) pieces.push([]);
    isActing = !/^-or?$/.test(value) && (isActing || ACTIONS.test(value));
    if (!isActing && !/^(\(|\)|-or?)$/.test(value)) pieces.at(-1)?.push(value);
  }
  return pieces;
}

/** Patterns of names of which everything found matches one; null: there may be others. */
export function namesFound(call: FindCall): readonly string[] | null {
  const names = alternatives(call)?.map((words) =>
    words.filter((_, at) => /^-i?name$/.test(words[at - 1] ?? '') && !/^(!|-not)$/.test(words[at - 2] ?? '')),
  );
  return names?.every(({ length }) => length > 0) === true ? names.flat() : null;
}

/** Whether all that it finds is empty. */
export function findsOnlyEmpty(call: FindCall): boolean {
  const isOnly = (words: readonly string[]): boolean =>
    words.some((word, at) => word === '-empty' && !/^(!|-not)$/.test(words[at - 1] ?? ''));
  return alternatives(call)?.every(isOnly) === true;
}

/** Whether find may hand the entry on; in doubt yes. */
function mayFind(call: FindCall, { relative, name, kind }: TreeEntry): boolean {
  const depth = call.tests[call.tests.findLastIndex(({ value }) => value === '-maxdepth') + 1]?.value;
  const isDeeper = relative !== '' && relative.split('/').length > Number(depth);
  if (isDeeper && call.tests.some(({ value }) => value === '-maxdepth')) return false;
  const [only = [], ...more] = alternatives(call) ?? [[], []];
  const type = more.length > 0 || only.some((test) => /^(!|-not)$/.test(test)) ? -1 : only.indexOf('-type');
  const letter = { file: 'f', folder: 'd', link: 'l', other: '' }[kind];
  if (type >= 0 && only[type + 1]?.includes(letter) === false) return false;
  const names = namesFound(call);
  return names === null || names.some((each) => mayMatch(wildcard(each.toLowerCase()), name.toLowerCase()));
}

/** What speaks against reading what a search finds; `isDeep`: with everything below those that are folders. */
export function judgeFound(call: FindCall, isDeep: boolean, span: Span, state: LineState): Finding | null {
  const names = namesFound(call);
  const isMeant =
    names?.some((name) => isSecret(name) || patternMayNameSecret(name)) ?? !state.context.seesFiles;
  if (isMeant) return finding('dangerous.credentials', 'The search may find secrets.', span);
  const selects = (entry: TreeEntry): boolean => isDeep || mayFind(call, entry);
  for (const { value } of call.starts) {
    const found = judgeTree(value, { followsLinks: true, selects }, span, state);
    if (found !== null) return found;
  }
  return null;
}

/** Whether the found paths stay whole where blanks and quotes part them. */
export function areWholeWords(call: FindCall, state: LineState): boolean {
  if (!state.context.seesFiles) return call.starts.every(({ value }) => /^[\w./-]+$/.test(value));
  return call.starts.every(({ value }) =>
    state.folders.every((folder) => {
      const entries = treeOf(joinPath(folder, value), state.context);
      const found = entries?.filter((entry) => mayFind(call, entry));
      return /^[\w./-]+$/.test(value) && found?.every(({ relative }) => !/[\s'"\\]/.test(relative)) === true;
    }),
  );
}
