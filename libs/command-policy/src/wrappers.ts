/** Programs that run the command behind them. They are unwrapped, and the command is judged as if it stood alone. */
import { judgeAssignment } from './environment.js';
import { commandsOfFind } from './programs/find.js';
import { finding, type Finding } from './rules.js';
import { flagTable, type FlagTable } from './schema/flag-table.js';
import { readArgs } from './schema/read-args.js';
import type { Arg } from './words.js';

export interface Unwrapped {
  /** The commands inside. */
  readonly inner: readonly (readonly Arg[])[];
  /** What speaks against the wrapper itself. */
  readonly findings: readonly Finding[];
  /** Words that the wrapper adds to the command, so that its operands are not known. */
  readonly addsWords: boolean;
}

interface Wrapper {
  readonly flags: FlagTable;
  /** Operands of its own in front of the command: `timeout 5 ls` has one. */
  readonly own?: number;
  /** It is never approved, whatever it runs. */
  readonly asks?: { readonly rule: Finding['rule']; readonly message: string };
  readonly addsWords?: boolean;
}

const PRIVILEGE = { rule: 'dangerous.privilege', message: 'It runs the command as another user.' } as const;
const DETACHES = {
  rule: 'wrapper.flags',
  message: 'The command keeps running after the line has ended.',
} as const;
const INPUT = {
  rule: 'subset.expansion',
  message: 'The words come from the input, so it is not clear what runs.',
} as const;

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    flags: flagTable(
      '-n -E -H -S -i -s -k -b -u:text -g:text -p:text -C:num -h:text -D:text -A -P --preserve-env[=text] --user=text',
    ),
    asks: PRIVILEGE,
  },
  doas: { flags: flagTable('-n -s -u:text -C:text'), asks: PRIVILEGE },
  pkexec: { flags: flagTable('--user=text'), asks: PRIVILEGE },
  runuser: { flags: flagTable('-u:text --user=text'), asks: PRIVILEGE },
  setpriv: { flags: flagTable('--reuid=text --regid=text --clear-groups'), asks: PRIVILEGE },
  chroot: { flags: flagTable('--userspec=text'), own: 1, asks: PRIVILEGE },
  unshare: { flags: flagTable('-r -m -n -p -f -u -U -i'), asks: PRIVILEGE },
  nsenter: { flags: flagTable('-t:text -m -n -p -u -i -a'), asks: PRIVILEGE },
  timeout: {
    flags: flagTable(
      '-k:word -s:word -v --kill-after=word --signal=word --preserve-status --foreground --verbose',
    ),
    own: 1,
  },
  nice: { flags: flagTable('-# -n:num --adjustment=num') },
  ionice: { flags: flagTable('-c:num -n:num -t') },
  nohup: { flags: flagTable('') },
  stdbuf: { flags: flagTable('-i:word -o:word -e:word --input=word --output=word --error=word') },
  time: { flags: flagTable('-p') },
  command: { flags: flagTable('') },
  builtin: { flags: flagTable('') },
  exec: {
    flags: flagTable('-a:text -c -l'),
    asks: { rule: 'wrapper.flags', message: 'exec replaces the shell.' },
  },
  coproc: { flags: flagTable(''), asks: DETACHES },
  setsid: { flags: flagTable('-c -f -w --fork --wait --ctty'), asks: DETACHES },
  xargs: {
    flags: flagTable(
      '-0 -r -t -x -p -n:num -P:num -L:num -I:text -d:text -s:num -a:in -E:text --null --no-run-if-empty --max-args=num --max-procs=num --delimiter=text --arg-file=in --replace[=text] --verbose',
    ),
    addsWords: true,
    asks: INPUT,
  },
  parallel: {
    flags: flagTable('-j:word -k -0 -n:num -X -m --jobs=word --keep-order --bar --halt=text --dry-run'),
    addsWords: true,
    asks: INPUT,
  },
  strace: {
    flags: flagTable('-f -e:text -o:out -p:num -c'),
    asks: { rule: 'wrapper.flags', message: 'It watches another program.' },
  },
  script: { flags: flagTable('-q -c:text'), asks: { rule: 'wrapper.flags', message: 'It runs a shell.' } },
  flock: {
    flags: flagTable('-n -w:num -x -s'),
    own: 1,
    asks: { rule: 'wrapper.flags', message: 'It holds a lock on a file.' },
  },
  busybox: {
    flags: flagTable(''),
    asks: { rule: 'wrapper.flags', message: 'Its programs have their own way of reading flags.' },
  },
  toybox: {
    flags: flagTable(''),
    asks: { rule: 'wrapper.flags', message: 'Its programs have their own way of reading flags.' },
  },
  proxychains: {
    flags: flagTable('-q'),
    asks: { rule: 'program.network', message: 'It connects to another machine.' },
  },
  torify: {
    flags: flagTable(''),
    asks: { rule: 'program.network', message: 'It connects to another machine.' },
  },
};

/** The commands behind a wrapper; null when the program is none. */
export function unwrap(program: string, args: readonly Arg[], span: Finding['span']): Unwrapped | null {
  if (program === 'env') return unwrapEnv(args, span);
  if (program === 'find') {
    const inner = commandsOfFind(args);
    return inner.length === 0 ? null : { inner, findings: [], addsWords: true };
  }
  // `command -v ls` only looks a name up.
  if (program === 'command' && /^-[vV]$/.test(args[0]?.value ?? '')) return null;
  const wrapper = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  if (wrapper === undefined) return null;
  const read = readArgs(args, { style: 'posix', flags: wrapper.flags });
  const own = wrapper.own ?? 0;
  const findings: Finding[] = read.findings.map((found) => ({ ...found, rule: 'wrapper.flags' as const }));
  if (wrapper.asks !== undefined) findings.push(finding(wrapper.asks.rule, wrapper.asks.message, span));
  for (const arg of read.operands.slice(0, own)) {
    if (arg.kind !== 'literal' || !/^[\w./-]+$/.test(arg.value))
      findings.push(finding('wrapper.flags', `${arg.span.text} is not known here.`, arg.span));
  }
  // `sudo A=b ls`: words that assign come before the command.
  let inner = read.operands.slice(own);
  while (inner[0] !== undefined && /^\w+=/.test(inner[0].value)) inner = inner.slice(1);
  if (inner.length === 0 && findings.length === 0) {
    const isAlone = program === 'time' || program === 'nice';
    if (!isAlone) findings.push(finding('wrapper.flags', `${program} has nothing to run.`, span));
  }
  return { inner: inner.length === 0 ? [] : [inner], findings, addsWords: wrapper.addsWords === true };
}

function unwrapEnv(args: readonly Arg[], span: Finding['span']): Unwrapped {
  const findings: Finding[] = [];
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] as Arg;
    if (arg.value === '--') {
      at += 1;
      break;
    }
    if (arg.value.startsWith('-')) {
      findings.push(
        finding(
          'wrapper.flags',
          `${arg.span.text} changes what env runs, or in which environment.`,
          arg.span,
        ),
      );
      if (/^-[uC]$/.test(arg.value)) at += 1;
      continue;
    }
    const assignment = /^(\w+)=(.*)$/s.exec(arg.value);
    if (assignment === null) break;
    const value = arg.kind === 'literal' || arg.kind === 'glob' ? (assignment[2] ?? '') : null;
    const found = judgeAssignment(assignment[1] ?? '', value, arg.span);
    if (found !== null) findings.push(found);
  }
  while (args[at] !== undefined && /^\w+=/.test(args[at]?.value ?? '')) {
    findings.push(finding('environment.unknown', 'env sets a variable here.', (args[at] as Arg).span));
    at += 1;
  }
  const inner = args.slice(at);
  if (inner.length === 0)
    findings.push(finding('dangerous.credentials', 'The environment may hold secrets.', span));
  return { inner: inner.length === 0 ? [] : [inner], findings, addsWords: false };
}
