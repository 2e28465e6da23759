/** Judges the use of a known program: its subcommand, flags, values and operands, against its schema. */
import type { LineState, PartRecord } from '../line-state.js';
import { globMayNameSecret, isSecret } from '../file-names.js';
import { judgePath } from '../paths.js';
import { finding, type Finding } from '../rules.js';
import type { Arg } from '../words.js';
import type { OperandKind, ProgramSchema } from './program-schema.js';
import { readArgs, refusedFlag, type ReadArgs } from './read-args.js';

/** Every finding on `program` called with `args`. Notes what it writes and runs in the line's state. */
export function judgeUse(
  program: string,
  args: readonly Arg[],
  schema: ProgramSchema,
  state: LineState,
  part: PartRecord,
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
  read.operands.forEach((arg, index) => {
    const kind = operandKind(schema, index, read);
    if (kind === null)
      findings.push(
        finding('operands.unexpected', `${program} is not known to take ${arg.span.text} here.`, arg.span),
      );
    else findings.push(...judgeOperand(arg, kind, schema, state, part));
  });
  if (schema.runsCode === true) findings.push(...noteCodeRun(part, state));
  findings.push(...looksForSecrets(read));
  const flags = read.flags.map(({ flag, value, arg }) => ({ name: flag.name, value, arg }));
  findings.push(...(schema.check?.({ program, flags, operands: read.operands, state, part }) ?? []));
  return findings;
}

/** Searching through every file but the secret ones is fine; asking for the secret ones by name is not. */
function looksForSecrets(read: ReadArgs): Finding[] {
  return read.flags
    .filter(
      ({ flag, value }) =>
        /^(--include|--glob|--iglob|-g)$/.test(flag.name) && value !== null && !value.startsWith('!'),
    )
    .filter(({ value }) => isSecret(value ?? '') || globMayNameSecret(value ?? ''))
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

function operandKind(schema: ProgramSchema, index: number, read: ReadArgs): OperandKind | null {
  const kinds = schema.operands ?? [];
  // A pattern that came by a flag (`grep -e`) leaves no place for one among the operands.
  const given =
    kinds[0] === 'pattern' && read.flags.some(({ flag }) => flag.kind === 'pattern' || flag.name === '-f');
  const own = given ? kinds.slice(1) : kinds;
  const kind = own[Math.min(index, own.length - 1)];
  if (kind === undefined || (index >= own.length && !kind.endsWith('*'))) return null;
  return kind.replace('*', '') as OperandKind;
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
  if (arg.kind === 'glob' && !['in', 'text', 'pattern', 'rev', 'guarded'].includes(kind)) {
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
    case 'code':
      // Some programs take their settings themselves here, as JSON.
      return /^[\w@%+,./ -]+$/.test(value) && value !== '-' && !value.startsWith('/dev/')
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

/** What git takes for a revision, for a path, or for both (`HEAD:src/a.ts`). */
function judgeRevision(arg: Arg, value: string, state: LineState): Finding | null {
  const path = value.slice(value.lastIndexOf(':') + 1);
  if (looksLikePath(path) || isSecret(path) || arg.kind === 'glob')
    return judgePath(arg, path, 'read', state);
  return looksLikePath(value) ? judgePath(arg, value, 'read', state) : null;
}

/** Revisions hold dots too (`main..topic`); only a whole part of two dots, or a root, makes a path that leads away. */
function looksLikePath(value: string): boolean {
  return value.startsWith('/') || value.split('/').includes('..');
}

/** Names of files that a command's output goes to and that nobody runs. */
const PLAIN_OUTPUT = /\.(log|out|txt|md)$/i;
const RUN_ALL_THE_SAME = /(^|\/)(cmakelists|requirements[^/]*|constraints)\.txt$/i;

/** Judges a path to write and notes that its content may be run later. */
export function noteWrite(arg: Arg, value: string, part: PartRecord, state: LineState): Finding[] {
  const isPlainOutput = PLAIN_OUTPUT.test(value) && !RUN_ALL_THE_SAME.test(value);
  if (!isPlainOutput) state.writes.push({ part, span: arg.span });
  if (!state.settings.allowWrite) {
    return [finding('write.off', `Writing ${value} without asking is off.`, arg.span)];
  }
  return one(judgePath(arg, value, 'write', state));
}

/** Notes that the part runs code of the project, and objects when the settings say so. */
function noteCodeRun(part: PartRecord, state: LineState): Finding[] {
  state.codeRuns.push({ part, span: part.span });
  if (state.settings.allowProjectCode) return [];
  return [finding('project_code.off', 'Running code of the project without asking is off.', part.span)];
}

function one(found: Finding | null): Finding[] {
  return found === null ? [] : [found];
}
