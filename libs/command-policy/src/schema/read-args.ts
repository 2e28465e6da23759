/** Reads a program's words by its flag table, as the program itself would. */
import type { Arg } from '../words.js';
import { finding, type Finding } from '../rules.js';
import type { Flag, FlagTable } from './flag-table.js';
import type { FlagStyle, ProgramSchema } from './program-schema.js';

export interface ReadFlag {
  readonly flag: Flag;
  readonly value: string | null;
  readonly arg: Arg;
}

export interface ReadArgs {
  readonly flags: ReadFlag[];
  readonly operands: Arg[];
  /** How many operands stood in front of `--`. */
  beforeDashes: number | null;
  readonly findings: Finding[];
}

const NO_FLAGS: FlagTable = new Map();

/** Splits words into flags with their values and operands. Unknown, refused and unreadable flags are findings. */
export function readArgs(args: readonly Arg[], schema: ProgramSchema): ReadArgs {
  const style: FlagStyle = schema.style ?? 'gnu';
  const table = schema.flags ?? NO_FLAGS;
  const read: ReadArgs = { flags: [], operands: [], beforeDashes: null, findings: [] };
  let onlyOperands = false;
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] as Arg;
    const { value } = arg;
    if (onlyOperands || !value.startsWith('-') || value === '-') {
      if (!onlyOperands && mayBecomeFlag(arg) && schema.harmlessFlags !== true)
        read.findings.push(globAsFlag(arg));
      read.operands.push(arg);
      if (style.endsWith('posix')) onlyOperands = true;
      continue;
    }
    if (value === '--') {
      read.beforeDashes = read.operands.length;
      onlyOperands = true;
      continue;
    }
    if (arg.kind === 'variable' || (arg.kind === 'glob' && !staysInValue(arg, table))) {
      read.findings.push(globAsFlag(arg));
      continue;
    }
    const next = args[i + 1];
    const isBundle = (style === 'gnu' || style === 'posix') && !value.startsWith('--');
    const used = isBundle
      ? readLetters(arg, next, table, schema, read)
      : readLong(arg, next, table, schema, read);
    if (used) i += 1;
  }
  return read;
}

/** A pattern that can expand to a name with a dash in front, which the program then takes for a flag. */
function mayBecomeFlag(arg: Arg): boolean {
  return arg.kind === 'glob' && /^[*?[]/.test(arg.value);
}

/** `--include=*.ts`: whatever it expands to begins with the flag, and the value is text. */
function staysInValue(arg: Arg, table: FlagTable): boolean {
  const name = /^(--[\w-]+)=/.exec(arg.value)?.[1];
  const kind = name === undefined ? undefined : table.get(name)?.kind;
  return kind === 'text' || kind === 'pattern';
}

function globAsFlag(arg: Arg): Finding {
  const message = `${arg.span.text} can become a flag; write ./${arg.span.text} if you mean files.`;
  return finding('subset.glob', message, arg.span);
}

/** Returns whether the next word was used as the value. */
function readLong(
  arg: Arg,
  next: Arg | undefined,
  table: FlagTable,
  schema: ProgramSchema,
  read: ReadArgs,
): boolean {
  const at = arg.value.indexOf('=');
  const name = at < 0 ? arg.value : arg.value.slice(0, at);
  const attached = at < 0 ? null : arg.value.slice(at + 1);
  const flag =
    table.get(name) ?? (schema.style?.startsWith('long') ? table.get(name.replace(/^--/, '-')) : undefined);
  if (flag === undefined) {
    read.findings.push(unknownFlag(name, arg, schema));
    return false;
  }
  if (flag.kind === 'none') {
    if (attached !== null) read.findings.push(unknownFlag(arg.value, arg, schema));
    else read.flags.push({ flag, value: null, arg });
    return false;
  }
  if (attached !== null || flag.optional) {
    read.flags.push({ flag, value: attached, arg });
    return false;
  }
  return takeNext(flag, arg, next, read);
}

function readLetters(
  arg: Arg,
  next: Arg | undefined,
  table: FlagTable,
  schema: ProgramSchema,
  read: ReadArgs,
): boolean {
  // `head -20` and the like: a table says so with the flag `-#`.
  if (/^-\d+$/.test(arg.value) && table.has('-#')) {
    read.flags.push({ flag: table.get('-#') as Flag, value: null, arg });
    return false;
  }
  for (let at = 1; at < arg.value.length; at += 1) {
    const name = `-${arg.value[at]}`;
    const flag = table.get(name);
    if (flag === undefined) {
      read.findings.push(unknownFlag(name, arg, schema));
      return false;
    }
    if (flag.kind === 'none') {
      read.flags.push({ flag, value: null, arg });
      continue;
    }
    const rest = arg.value.slice(at + 1);
    if (rest !== '' || flag.optional) {
      read.flags.push({ flag, value: rest === '' ? null : rest, arg });
      return false;
    }
    return takeNext(flag, arg, next, read);
  }
  return false;
}

function takeNext(flag: Flag, arg: Arg, next: Arg | undefined, read: ReadArgs): boolean {
  if (next === undefined) {
    read.findings.push(finding('flags.value', `${flag.name} needs a value.`, arg.span));
    return false;
  }
  // Programs differ in whether they take a word with a dash for the value or for the next flag.
  if (next.value.startsWith('-') && flag.kind !== 'num' && flag.kind !== 'pattern' && next.value !== '-') {
    read.findings.push(
      finding('flags.value', `${next.span.text} after ${flag.name} can be read in two ways.`, next.span),
    );
  }
  if (next.kind !== 'literal' || next.isExpanded === true) {
    read.findings.push(finding('subset.glob', `The value of ${flag.name} is not known.`, next.span));
  }
  read.flags.push({ flag, value: next.value, arg: next });
  return true;
}

function unknownFlag(name: string, arg: Arg, schema: ProgramSchema): Finding {
  if (refusedFlag(name, schema) !== null) {
    const message = `${name} can run a program, write a file or reach the network.`;
    return finding('flags.refused', message, arg.span);
  }
  return finding('flags.unknown', `${name} is not a flag known to be harmless here.`, arg.span);
}

/** The refused flag that a word is or abbreviates. */
export function refusedFlag(word: string, schema: ProgramSchema): string | null {
  const name = word.split('=', 1)[0] ?? word;
  for (const refused of schema.refused?.keys() ?? []) {
    if (name === refused) return refused;
    if (name.startsWith('--') && name.length > 4 && refused.startsWith(name)) return refused;
    if (refused.length === 2 && name.startsWith(refused) && !name.startsWith('--')) return refused;
  }
  return null;
}
