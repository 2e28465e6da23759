/** Judges the use of a known program: its subcommand, flags, values and operands, against its schema. */
import type { LineState, PartRecord } from '../line-state.js';
import { isSecret, patternMayNameSecret } from '../file-names.js';
import { joinPath, judgePath, tidyPath } from '../paths.js';
import { finding, type Finding } from '../rules.js';
import type { Arg } from '../words.js';
import { judgeTree } from '../tree.js';
import { isPlainOutput } from './plain-output.js';
import type { OperandKind, ProgramSchema, ProgramUse } from './program-schema.js';
import { readArgs, refusedFlag, type ReadArgs } from './read-args.js';
import { judgeRewriting } from './rewriting.js';

/**
 * Every finding on `program` called with `args`. Notes what it writes and runs in the line's state. `readsInput`: its input is a pipe
 * of the line.
 */
export function judgeUse(
  program: string,
  args: readonly Arg[],
  schema: ProgramSchema,
  state: LineState,
  part: PartRecord,
  readsInput = false,
): Finding[] {
  if (schema.subcommands !== undefined) return judgeSubcommand(program, args, schema, state, part);
  if (schema.judge !== undefined) return [...schema.judge({ program, args, state, part })];
  const read = readArgs(args, schema);
  const findings = [...read.findings];
  for (const { flag, value, arg } of read.flags) {
    if (value === null || flag.kind === 'none') continue;
    if (flag.choices !== null && !flag.choices.includes(value)) {
      findings.push(finding('flags.value', `${value} is not a known value of ${flag.name}.`, arg.span));
    }
    findings.push(...judgeValue(arg, value, flag.kind, state, part));
  }
  const paths = judgeOperands(program, read, schema, state, part, findings);
  if (schema.runsCode === true) findings.push(...noteCodeRun(part, state));
  findings.push(...looksForSecrets(read));
  const flags = read.flags.map(({ flag, value, arg }) => ({ name: flag.name, value, arg }));
  const use = { program, flags, operands: read.operands, beforeDashes: read.beforeDashes, state, part };
  findings.push(...judgeTrees(use, schema, paths, readsInput), ...(schema.check?.(use) ?? []));
  return findings;
}

/** Judges the operands, each as whatever it may be to the program; returns those that are paths. */
function judgeOperands(
  program: string,
  read: ReadArgs,
  schema: ProgramSchema,
  state: LineState,
  part: PartRecord,
  findings: Finding[],
): Arg[] {
  const paths: Arg[] = [];
  let first = Infinity;
  read.operands.forEach((arg, index) => {
    // From a word on that may be none or many, nobody knows which operand a later one is.
    if (arg.isOpen === true) first = Math.min(first, index);
    const kinds = kindsAt(schema, Math.min(first, index), read, index >= first);
    if (kinds.some((kind) => kind === 'in' || kind === 'guarded')) paths.push(arg);
    for (const kind of kinds) {
      if (kind === null)
        findings.push(
          finding('operands.unexpected', `${program} is not known to take ${arg.span.text} here.`, arg.span),
        );
      else findings.push(...judgeOperand(arg, kind, schema, state, part));
    }
  });
  return paths;
}

/** What goes through whole folders, to read or to rewrite what is there. */
function judgeTrees(
  use: ProgramUse,
  schema: ProgramSchema,
  paths: readonly Arg[],
  readsInput: boolean,
): Finding[] {
  const { state, part } = use;
  const findings: Finding[] = [];
  const deep = schema.deep?.(use.flags) ?? null;
  // Without any path these programs take the folder that they are in.
  const isFed = readsInput && deep?.prefersInput === true;
  const hasNone = !isFed && paths.every(({ found }) => found?.mayBeNone === true);
  if (deep !== null) {
    for (const arg of hasNone ? [null, ...paths] : paths) {
      const found =
        arg?.found === undefined
          ? judgeTree(arg?.value ?? '.', deep, arg?.span ?? part.span, state)
          : arg.found.judgeRead(true);
      if (found !== null) findings.push(found);
    }
  }
  if (schema.rewrites !== undefined)
    findings.push(...judgeRewriting(use, schema.rewrites, hasNone ? [null, ...paths] : paths));
  return findings;
}

/** Searching through every file but the secret ones is fine; asking for the secret ones by name is not. */
function looksForSecrets(read: ReadArgs): Finding[] {
  return read.flags
    .filter(
      ({ flag, value }) =>
        /^(--include|--glob|--iglob|-g)$/.test(flag.name) && value !== null && !value.startsWith('!'),
    )
    .filter(({ value }) => isSecret(value ?? '') || patternMayNameSecret(value ?? ''))
    .map(({ value, arg }) => finding('dangerous.credentials', `${value ?? ''} may hold secrets.`, arg.span));
}

/** The only objections to words that an allow entry covers: flags that run or write, unless the entry names them. */
export function judgeRefused(
  args: readonly Arg[],
  schema: ProgramSchema,
  named: readonly string[],
): Finding[] {
  const findings: Finding[] = [];
  let current: ProgramSchema | undefined = schema;
  for (const arg of args) {
    const refused = current === undefined ? null : refusedFlag(arg.value, current);
    if (refused !== null && !named.includes(refused) && !named.includes(arg.value)) {
      const message = `${refused} can run a program, write a file or reach the network; the allow list does not name it.`;
      findings.push(finding('flags.refused', message, arg.span));
    }
    const subcommands: ProgramSchema['subcommands'] = current?.subcommands ?? {};
    const sub: ProgramSchema | undefined = Object.hasOwn(subcommands, arg.value)
      ? subcommands[arg.value]
      : undefined;
    if (sub !== undefined) current = sub;
  }
  return findings;
}

function judgeSubcommand(
  program: string,
  args: readonly Arg[],
  schema: ProgramSchema,
  state: LineState,
  part: PartRecord,
): Finding[] {
  const globals = readArgs(args, { ...schema, style: schema.style === 'long' ? 'long-posix' : 'posix' });
  const [first, ...rest] = globals.operands;
  if (first === undefined || first.kind !== 'literal') {
    const bare = schema.bare;
    if (bare !== undefined && first === undefined) return judgeUse(program, args, bare, state, part);
    const span = first?.span ?? part.span;
    return [
      ...globals.findings,
      finding('program.unknown_subcommand', `It is not clear what ${program} does here.`, span),
    ];
  }
  const sub = Object.hasOwn(schema.subcommands ?? {}, first.value)
    ? schema.subcommands?.[first.value]
    : undefined;
  if (sub === undefined) {
    if (schema.bare !== undefined) return judgeUse(program, args, schema.bare, state, part);
    const message = `${program} ${first.value} is not among the uses known to be harmless.`;
    return [...globals.findings, finding('program.unknown_subcommand', message, first.span)];
  }
  const findings = [...globals.findings];
  for (const { flag, value, arg } of globals.flags) {
    if (value !== null) findings.push(...judgeValue(arg, value, flag.kind, state, part));
  }
  // Read once more without `--` lost: what follows the subcommand is its own.
  const from = args.indexOf(first) + 1;
  const own = rest.length === args.length - from ? rest : args.slice(from);
  const inherited = { ...sub, refused: sub.refused ?? schema.refused };
  return [...findings, ...judgeUse(`${program} ${first.value}`, own, inherited, state, part)];
}

/** The kinds that an operand may be of: that of its place, or of every later place as well. Null: the schema has no such place. */
function kindsAt(
  schema: ProgramSchema,
  index: number,
  read: ReadArgs,
  isOpen: boolean,
): readonly (OperandKind | null)[] {
  const kinds = schema.operands ?? [];
  // A pattern that came by a flag (`grep -e`) leaves no place for one among the operands.
  const given =
    kinds[0] === 'pattern' && read.flags.some(({ flag }) => flag.kind === 'pattern' || flag.name === '-f');
  const own = given ? kinds.slice(1) : kinds;
  const hasEnd = own.at(-1)?.endsWith('*') !== true;
  const place = index >= own.length && hasEnd ? [null] : own.slice(Math.min(index, own.length - 1));
  const possible = isOpen ? [...place, ...(hasEnd ? [null] : [])] : place.slice(0, 1);
  return [
    ...new Set(possible.map((kind) => (kind === null ? null : (kind.replace('*', '') as OperandKind)))),
  ];
}

function judgeOperand(
  arg: Arg,
  kind: OperandKind,
  schema: ProgramSchema,
  state: LineState,
  part: PartRecord,
): Finding[] {
  if (arg.kind === 'variable' && schema.variables !== true) {
    return [finding('subset.expansion', `It is not clear what ${arg.span.text} stands for.`, arg.span)];
  }
  // A pattern does not say which file is written, unless all are.
  const isChosen = kind === 'out' && arg.isExpanded === true && schema.operands?.[0] !== 'out*';
  if (isChosen)
    return [finding('subset.glob', `It is not clear which file of ${arg.span.text} is written.`, arg.span)];
  if (arg.kind === 'glob' && !['in', 'script', 'text', 'pattern', 'rev', 'guarded'].includes(kind)) {
    return [finding('subset.glob', `It is not clear which files ${arg.span.text} names.`, arg.span)];
  }
  return judgeValue(arg, arg.value, kind, state, part);
}

function judgeValue(
  arg: Arg,
  value: string,
  kind: OperandKind,
  state: LineState,
  part: PartRecord,
): Finding[] {
  switch (kind) {
    case 'in':
      return one(judgePath(arg, value, 'read', state));
    case 'out':
      return noteWrite(arg, value, part, state);
    case 'script':
      return isPlainOutput(value) ? unknownValue(arg, value) : one(judgePath(arg, value, 'read', state));
    case 'code':
      // Some programs take their settings themselves here, as JSON.
      return /^[\w@%+,./ -]+$/.test(value) &&
        value !== '-' &&
        !value.startsWith('/dev/') &&
        !isPlainOutput(value)
        ? one(judgePath(arg, value, 'read', state))
        : unknownValue(arg, value);
    case 'guarded':
      return one(judgeGuarded(arg, value, state));
    case 'rev':
      return one(judgeRevision(arg, value, state));
    case 'num':
      return /^[-+]?\d+(\.\d+)?[a-zA-Z%]*$/.test(value) ? [] : unknownValue(arg, value);
    case 'word':
      return /^[\w.,:@%+-]*$/.test(value) ? [] : unknownValue(arg, value);
    case 'name':
      return /^[@\w.,:*!/+-]*$/.test(value) && !value.includes('..') ? [] : unknownValue(arg, value);
    case 'suffix':
      return /^[.\w~-]{0,16}$/.test(value) ? [] : unknownValue(arg, value);
    case 'target':
      return /^:?\w[\w.:-]*$/.test(value) ? [] : unknownValue(arg, value);
    case 'none':
    case 'pattern':
    case 'text':
      return [];
  }
}

function unknownValue(arg: Arg, value: string): Finding[] {
  return [
    finding('flags.value', `${value === '' ? 'An empty word' : value} is not a known value here.`, arg.span),
  ];
}

/** A word that a program may take for a path: when it looks like one it must lead inside. */
function judgeGuarded(arg: Arg, value: string, state: LineState): Finding | null {
  const candidate =
    value.includes('=') && value.startsWith('-') ? value.slice(value.indexOf('=') + 1) : value;
  if (candidate.startsWith('@'))
    return finding('operands.unexpected', `${value} names a file with more arguments.`, arg.span);
  if (/^[a-z][a-z+.-]*:/i.test(candidate) && candidate.includes('/')) {
    return finding('program.network', `${value} is an address.`, arg.span);
  }
  if (arg.kind === 'variable')
    return finding('subset.expansion', `It is not clear what ${arg.span.text} stands for.`, arg.span);
  return judgePath(arg, candidate, 'read', state);
}

/** What git takes for a revision, for a path or a pattern of paths, or for several of these (`HEAD:src/a.ts`). */
function judgeRevision(arg: Arg, value: string, state: LineState): Finding | null {
  const isMagic = value.startsWith(':');
  const path = isMagic ? value.replace(/^:(\d:|\([^)]*\)|[/!^]*)/, '') : value.slice(value.indexOf(':') + 1);
  // Git reads patterns by itself.
  if (/[*?[]/.test(path) && patternMayNameSecret(path))
    return finding('dangerous.credentials', `${value} may name secrets.`, arg.span);
  const isPath = looksLikePath(path) || isSecret(path) || arg.kind === 'glob' || path !== value;
  if (path !== '' && (isPath || isThere(path, state))) return judgePath(arg, path, 'read', state);
  return looksLikePath(value) ? judgePath(arg, value, 'read', state) : null;
}

function isThere(path: string, { folders, context }: LineState): boolean {
  return context.seesFiles && folders.some((folder) => context.look(joinPath(folder, path)) !== 'missing');
}

/** Revisions hold dots too (`main..topic`); only a whole part of two dots, or a root, makes a path that leads away. */
function looksLikePath(value: string): boolean {
  return value.startsWith('/') || value.split('/').includes('..');
}

/** Judges a path to write and notes that its content may be run later. */
export function noteWrite(arg: Arg, value: string, part: PartRecord, state: LineState): Finding[] {
  const paths = state.folders.map((folder) => tidyPath(joinPath(folder, value)));
  state.writes.push({ part, span: arg.span, paths, isPlain: isPlainOutput(value) });
  if (!state.settings.allowWrite) {
    return [finding('write.off', `Writing ${value} without asking is off.`, arg.span)];
  }
  return one(judgePath(arg, value, 'write', state));
}

/** Notes that the part runs code of the project, and objects when the settings say so. */
export function noteCodeRun(part: PartRecord, state: LineState): Finding[] {
  const paths = part.args.flatMap(({ value }) =>
    [value, value.slice(value.indexOf('=') + 1), value.replace(/:.*/, '')].flatMap((text) =>
      state.folders.map((folder) => tidyPath(joinPath(folder, text))),
    ),
  );
  state.codeRuns.push({ part, span: part.span, paths });
  if (state.settings.allowProjectCode) return [];
  return [finding('project_code.off', 'Running code of the project without asking is off.', part.span)];
}

function one(found: Finding | null): Finding[] {
  return found === null ? [] : [found];
}
