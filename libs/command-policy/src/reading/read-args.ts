/** Reads a program's words by its row of the table, as the program itself would. */
import type { Arg } from '../arg.js';
import { finding, type Finding } from '../rules.js';
import type { Flag, Row } from './table.js';

export interface GivenFlag {
  readonly name: string;
  readonly flag: Flag;
  readonly value: string | null;
  readonly arg: Arg;
}

export interface ReadArgs {
  readonly flags: GivenFlag[];
  readonly operands: Arg[];
  /** How many operands stood in front of `--`; null: there was none. */
  beforeDashes: number | null;
  readonly findings: Finding[];
}

type Flags = Row['flags'];

/** Splits words into flags with their values and operands; an unknown flag is a finding. `untilOperand`: flags end at the first. */
export function readArgs(args: readonly Arg[], flags: Flags, untilOperand = false): ReadArgs {
  const read: ReadArgs = { flags: [], operands: [], beforeDashes: null, findings: [] };
  let onlyOperands = false;
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] as Arg;
    const { value } = arg;
    if (onlyOperands || !value.startsWith('-') || value === '-') {
      read.operands.push(arg);
      onlyOperands ||= untilOperand;
    } else if (value === '--') {
      read.beforeDashes = read.operands.length;
      onlyOperands = true;
    } else if (arg.kind !== 'literal' && !/^--[\w-]+=/.test(value)) {
      read.findings.push(finding('subset.glob', `It is not clear which flag ${arg.span.text} is.`, arg.span));
    } else if (readFlag(arg, args[i + 1], flags, read)) i += 1;
  }
  return read;
}

/** Returns whether the next word was used as the value. */
function readFlag(arg: Arg, next: Arg | undefined, flags: Flags, read: ReadArgs): boolean {
  const { value } = arg;
  const long = /^(--?[\w-]+)(?:=([^]*))?$/.exec(value);
  const whole = flags.get(long?.[1] ?? '');
  if (long !== null && whole !== undefined && (value.startsWith('--') || long[2] === undefined))
    return take(long[1] ?? '', whole, long[2] ?? null, arg, next, read);
  const number = /^-\d+$/.test(value) ? flags.get('-#') : undefined;
  if (number !== undefined) return take('-#', number, null, arg, next, read);
  if (value.startsWith('--')) return unknown(value, arg, read);
  for (let at = 1; at < value.length; at += 1) {
    const name = `-${value[at]}`;
    const flag = flags.get(name);
    if (flag === undefined) return unknown(name, arg, read);
    const rest = value.slice(at + 1);
    if (flag.kind !== null) return take(name, flag, rest === '' ? null : rest, arg, next, read);
    take(name, flag, null, arg, next, read);
  }
  return false;
}

function take(
  name: string,
  flag: Flag,
  attached: string | null,
  arg: Arg,
  next: Arg | undefined,
  read: ReadArgs,
): boolean {
  if (flag.kind === null && attached !== null) return unknown(arg.value, arg, read);
  if (flag.kind === null || flag.isOptional || attached !== null) {
    read.flags.push({ name, flag, value: attached, arg });
    return false;
  }
  // Programs differ in whether they take a word with a dash for the value or for the next flag.
  const isTwofold = next?.value.startsWith('-') === true && !/^(-\d*|-[,;:|])$/.test(next.value);
  if (next?.kind !== 'literal' || isTwofold) {
    const message = `The value of ${name} is not clear.`;
    read.findings.push(finding('use.unknown', message, next?.span ?? arg.span));
  }
  if (next !== undefined) read.flags.push({ name, flag, value: next.value, arg: next });
  return next !== undefined;
}

function unknown(name: string, arg: Arg, read: ReadArgs): false {
  read.findings.push(finding('use.unknown', `${name} is not a flag known to only read.`, arg.span));
  return false;
}
