/** Whether a known program, used like this, only reads, and only what agents may see. */
import { isSecret, patternMayNameSecret } from '../file-names.js';
import { judgeFind, judgeFound } from '../find.js';
import type { LineState } from '../line-state.js';
import { joinPath, judgeRead, tidyPath } from '../paths.js';
import { finding, type Finding } from '../rules.js';
import { judgeTree, type TreeEntry } from '../tree.js';
import type { Span } from '../types.js';
import { mayMatch, wildcard } from '../wildcards.js';
import type { Arg } from '../arg.js';
import { judgeGit } from './git.js';
import { shadowOf } from './python.js';
import { readArgs, type ReadArgs } from './read-args.js';
import { rowsOf, VALUES, type Row } from './table.js';

/** A command whose program was found where agents cannot write. */
export interface Use {
  readonly program: string;
  readonly args: readonly Arg[];
  readonly span: Span;
  readonly state: LineState;
  /** Whether its input is a pipe of the line. */
  readonly isFed: boolean;
}

/** Every finding on the use; empty: it only reads. */
export function judgeUse(use: Use): Finding[] {
  const { program, args, state } = use;
  if (program === 'cd') return judgeCd(use);
  if (program === 'find') return judgeFind(args, state);
  if (/^python3?$/.test(program) && args[0]?.value === '-m') return judgePython(use);
  if (program === 'command') return judgeRows('which', { ...use, args: args.slice(1) }, rowsOf('which'));
  if (program === 'git' && args[0]?.value === '--no-pager') return judgeUse({ ...use, args: args.slice(1) });
  const words = args.slice(0, args[0]?.kind === 'literal' ? 2 : 0).map(({ value }) => value);
  for (let length = words.length; length >= 0; length -= 1) {
    const name = [program, ...words.slice(0, length)].join(' ');
    const rows = rowsOf(name);
    if (rows.length > 0) return judgeRows(name, withDash({ ...use, args: args.slice(length) }), rows);
  }
  return [finding('program.unknown', `${program} is not among the programs known to only read.`, use.span)];
}

/** `tar tzf a.tgz`: the first word may be letters of flags without a dash. */
function withDash(use: Use): Use {
  const [first, ...rest] = use.args;
  if (use.program !== 'tar' || first?.kind !== 'literal' || !/^[tvzjJf]+$/.test(first.value)) return use;
  return { ...use, args: [{ ...first, value: `-${first.value}` }, ...rest] };
}

/** The least that speaks against the use by any of the rows. */
function judgeRows(name: string, use: Use, rows: readonly Row[]): Finding[] {
  const found = rows.map((row) => judgeRow(name, use, row));
  return found.reduce((least, each) => (each.length < least.length ? each : least));
}

function judgeRow(name: string, use: Use, row: Row): Finding[] {
  const { args, state, span } = use;
  const read = row.takesAny
    ? { flags: [], operands: [...args], beforeDashes: null, findings: [] }
    : readArgs(args, row.flags, row.flagsFirst);
  const findings = [...read.findings];
  for (const { value, flag, arg } of read.flags)
    if (value !== null && flag.kind !== null) findings.push(...judgeValue(arg, value, flag.kind, state));
  const needed = [...row.flags].some(([, { isNeeded }]) => isNeeded);
  if (needed && !read.flags.some(({ flag }) => flag.isNeeded))
    findings.push(finding('use.unknown', `${name} is not known to only read here.`, span));
  const paths = judgeOperands(name, read, row, state, findings);
  if (name.startsWith('git')) return [...findings, ...judgeGit({ name, read, row, state, span })];
  return [...findings, ...judgeTrees(use, row, read, paths)];
}

/** Judges the operands by their kinds; returns those that are paths. */
function judgeOperands(name: string, read: ReadArgs, row: Row, state: LineState, findings: Finding[]): Arg[] {
  const [first] = row.operands;
  // A pattern or script that came by a flag (`grep -e`) leaves no place for one among the operands.
  const isGiven =
    first !== 'in*' &&
    read.flags.some(
      ({ name: flag, arg, value }) =>
        value !== null &&
        arg !== undefined &&
        (row.flags.get(flag)?.kind === first || (flag === '-f' && first === 'pattern')),
    );
  const kinds = isGiven ? row.operands.slice(1) : row.operands;
  const paths: Arg[] = [];
  read.operands.forEach((arg, at) => {
    const last = kinds.at(-1);
    const kind = kinds[at] ?? (last?.endsWith('*') === true ? last : undefined);
    if (kind === undefined) {
      findings.push(
        finding('use.unknown', `${name} is not known to only read with ${arg.span.text}.`, arg.span),
      );
      return;
    }
    const isMany = arg.search !== undefined && !kind.endsWith('*');
    if (isMany) findings.push(finding('subset.expansion', 'The search may find more than one.', arg.span));
    findings.push(...judgeValue(arg, arg.value, kind.replace('*', ''), state));
    if (kind.startsWith('in')) paths.push(arg);
  });
  return paths;
}

function judgeValue(arg: Arg, value: string, kind: string, state: LineState): Finding[] {
  const isPath = kind === 'in' || kind === 'archive';
  if (arg.search !== undefined && isPath) return one(judgeFound(arg.search, false, arg.span, state));
  // Where nobody sees the files a pattern is judged as it stands.
  const mayBeFlag = /^[*?[]/.test(arg.value) || !(isPath || kind === 'only' || kind === 'text');
  const isText = !state.context.seesFiles && !mayBeFlag && !patternMayNameSecret(value);
  if (arg.kind === 'glob' && !isText)
    return [finding('subset.glob', `It is not clear which files ${arg.span.text} names.`, arg.span)];
  if (VALUES[kind]?.test(value) !== true)
    return [finding('use.unknown', `${arg.span.text} is not known to only read here.`, arg.span)];
  if (kind === 'only' && !value.startsWith('!') && (isSecret(value) || patternMayNameSecret(value)))
    return [finding('dangerous.credentials', `${value} may name secrets.`, arg.span)];
  if (isPath || kind === 'path') return one(judgeRead(arg, value.replace(/^:(\([^)]*\)|[/!^]+)/, ''), state));
  return kind === 'rev' ? judgeRevision(arg, value, state) : [];
}

/** What git takes for a revision, for a path or a pattern of paths, or for both (`HEAD:src/a.ts`). */
function judgeRevision(arg: Arg, value: string, state: LineState): Finding[] {
  const path = value.replace(/^:?[^:]*:(\d:)?/, '');
  const isPattern = /[*?[(]/.test(path) && patternMayNameSecret(path);
  const isFar = path.startsWith('/') || path.split('/').includes('..');
  if (isPattern || (!isFar && isSecret(path)))
    return [finding('dangerous.credentials', `${value} may name secrets.`, arg.span)];
  return isFar || state.context.seesFiles ? one(judgeRead(arg, path, state)) : [];
}

/** Programs that go through whole folders, and those that follow the links there. */
function judgeTrees(use: Use, row: Row, read: ReadArgs, paths: readonly Arg[]): Finding[] {
  const { state, isFed, program, span } = use;
  const isDeep = row.isDeep || read.flags.some(({ flag }) => flag.isDeep);
  const followsLinks = row.followsLinks || read.flags.some(({ flag }) => flag.followsLinks);
  if (!isDeep && !followsLinks) return [];
  const limits = read.flags.filter(
    ({ flag, value }) => flag.kind === 'only' && value?.startsWith('!') === false,
  );
  const wanted = limits.map(({ value }) => wildcard((value ?? '').toLowerCase()));
  const selects = ({ kind, name, relative }: TreeEntry): boolean => {
    if (!isDeep) return kind === 'link';
    if (wanted.length > 0 && kind !== 'folder')
      return wanted.some((each) => [name, relative].some((text) => mayMatch(each, text.toLowerCase())));
    // rg leaves dot files out.
    return program !== 'rg' || !relative.split('/').some((each) => each.startsWith('.'));
  };
  // Without any path these programs take the folder that they are in; rg first looks for an input.
  const isHere = paths.every(({ search }) => search !== undefined) && !(program === 'rg' && isFed);
  const treeUse = { followsLinks, selects };
  return [
    ...(isHere ? one(judgeTree('.', treeUse, span, state)) : []),
    ...paths.flatMap((arg) =>
      one(
        arg.search === undefined
          ? judgeTree(arg.value, treeUse, arg.span, state)
          : judgeFound(arg.search, true, arg.span, state),
      ),
    ),
  ];
}

/** The shell is in the new folder from here on, or still in the old one when that failed. */
function judgeCd({ args, state, span }: Use): Finding[] {
  const [target] = args;
  // Without -P bash goes by the text, as the check below does.
  if (args.length !== 1 || target?.kind !== 'literal' || /^(-.*)?$/.test(target.value))
    return [finding('path.outside', 'It is not clear where cd leads.', target?.span ?? span)];
  const found = judgeRead(target, target.value, state);
  const moved = state.folders.map((folder) => tidyPath(joinPath(folder, target.value)));
  const isAway = moved.some((folder) => state.context.placeOf(folder) === 'outside');
  if (found === null && !isAway) return [];
  return [found ?? finding('path.outside', `${target.value} leads out of the workspace.`, target.span)];
}

/** `python3 -m json.tool` with one file, which it prints; a second one it would write. */
function judgePython({ program, args, state, span }: Use): Finding[] {
  const [, module, ...rest] = args;
  const operands = rest.filter(
    ({ value }) => !/^--(sort-keys|no-ensure-ascii|json-lines|indent=\d+|tab|compact)$/.test(value),
  );
  const [file] = operands;
  if (
    module?.value !== 'json.tool' ||
    module.kind !== 'literal' ||
    operands.length > 1 ||
    file?.value.startsWith('-') === true
  )
    return [finding('program.runs_code', `${program} runs code that the policy cannot judge.`, span)];
  const shadow = shadowOf(state);
  if (shadow !== null)
    return [
      finding(
        'program.shadowed',
        `Python would load ${shadow} of the project instead of its own module.`,
        span,
      ),
    ];
  return file === undefined ? [] : judgeValue(file, file.value, 'in', state);
}

function one(found: Finding | null): Finding[] {
  return found === null ? [] : [found];
}
