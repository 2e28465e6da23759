/** Programs that tell something about the machine, and docker as far as it only looks. */
import { finding, type Finding } from '../rules.js';
import { flagTable } from '../schema/flag-table.js';
import { isInterpreter, isNetworkProgram, unjudged } from '../program-name.js';
import { judgeUse } from '../schema/judge-use.js';
import type { ProgramSchema, ProgramUse, ProgramWords } from '../schema/program-schema.js';

const DOCKER_LOOK: ProgramSchema = {
  style: 'long',
  operands: ['guarded*'],
  flags: flagTable(
    '-a -q -n:num -l -s -f:text -t --all --quiet --filter=text --format=text --no-trunc --digests --size --latest --last=num --no-stream --tree',
  ),
};
const DOCKER_LOGS: ProgramSchema = {
  style: 'long',
  operands: ['word*'],
  flags: flagTable(
    '-n:word -t --tail=word --since=text --until=text --timestamps --details --no-color --no-log-prefix',
  ),
};
const COMPOSE: ProgramSchema = {
  style: 'long',
  subcommands: {
    ps: DOCKER_LOOK,
    logs: DOCKER_LOGS,
    ls: DOCKER_LOOK,
    images: DOCKER_LOOK,
    top: DOCKER_LOOK,
    version: DOCKER_LOOK,
  },
};

/** Compilers and tools of which only the version is asked. */
const VERSIONS = Object.fromEntries(
  [
    'java',
    'javac',
    'gcc',
    'g++',
    'clang',
    'cc',
    'ruby',
    'perl',
    'php',
    'rustup',
    'deno',
    'terraform',
    'kubectl',
    'helm',
    'psql',
    'sqlite3',
    'openssl',
    'curl',
    'wget',
    'bwrap',
    'redis-server',
    'gem',
  ].map((name): [string, ProgramSchema] => [name, { judge: judgeVersion }]),
);

const TAR = {
  operands: ['text*'],
  flags: flagTable('-t -v -z -j -J -f:in --list --gzip --file=in --verbose'),
  refused: flagTable(
    '-I -F -h --to-command=text --use-compress-program=text --checkpoint-action=text --rsh-command=text --info-script=text --rmt-command=text',
  ),
  check: judgeListing,
} satisfies ProgramSchema;

export const SYSTEM_PROGRAMS: Readonly<Record<string, ProgramSchema>> = {
  whoami: {},
  id: { operands: ['word'], flags: flagTable('-u -g -G -n -r') },
  groups: { operands: ['word'] },
  uname: {
    flags: flagTable(
      '-a -s -n -r -v -m -p -i -o --all --kernel-name --kernel-release --machine --operating-system',
    ),
  },
  // An operand would set the name.
  hostname: { flags: flagTable('-f -s -i -I -d --fqdn --short') },
  arch: {},
  nproc: { flags: flagTable('--all --ignore=num') },
  uptime: { flags: flagTable('-p -s --pretty --since') },
  free: { flags: flagTable('-b -k -m -g -h -t -w --human --mega --giga --total --si') },
  lscpu: { flags: flagTable('-e[word] -p[word] -J --json') },
  lsblk: { flags: flagTable('-a -f -l -J -o:word --json') },
  tty: { flags: flagTable('-s') },
  locale: { flags: flagTable('-a') },
  ps: {
    operands: ['word'],
    flags: flagTable(
      '-a -A -e -f -F -l -x -u:word -o:word -p:word -C:word -w -H --forest --sort=word --no-headers --ppid=word -h',
    ),
    check: judgePs,
  },
  pgrep: { operands: ['pattern'], flags: flagTable('-l -a -f -n -o -c -x -u:word -P:word') },
  date: {
    operands: ['pattern'],
    flags: flagTable(
      '-u -R -I[word] -d:text --utc --universal --iso-8601[=word] --rfc-3339=word --rfc-email --date=text -r:in --reference=in --help',
    ),
    refused: flagTable('-s --set=text -f --file=text'),
    check: judgeDate,
  },
  cal: { operands: ['num', 'num'], flags: flagTable('-3 -1 -y -m') },
  which: { operands: ['word*'], flags: flagTable('-a -s') },
  whereis: { operands: ['word*'], flags: flagTable('-b -m -s') },
  getconf: { operands: ['word'] },
  ss: { flags: flagTable('-t -u -l -n -p -a -s -r -4 -6 -x -i -m -e -o') },
  netstat: { flags: flagTable('-t -u -l -n -p -a -r -s -i') },
  lsof: { operands: ['text*'], flags: flagTable('-i[text] -P -n -t -p:word') },
  // Archives are only listed: what they hold may overwrite anything.
  tar: {
    judge: judgeTar,
    refused: TAR.refused,
  },
  unzip: { operands: ['in', 'text*'], flags: flagTable('-l -v -q'), check: judgeListing },
  zcat: { harmlessFlags: true, operands: ['in*'] },
  ...VERSIONS,
  sleep: { operands: ['num'] },
  docker: {
    style: 'long',
    refused: flagTable('-H -c --host=text --context=text --config=text --privileged'),
    subcommands: {
      ps: DOCKER_LOOK,
      images: DOCKER_LOOK,
      logs: DOCKER_LOGS,
      version: DOCKER_LOOK,
      info: DOCKER_LOOK,
      stats: { ...DOCKER_LOOK, check: judgeStats },
      top: { style: 'long', operands: ['word'] },
      port: DOCKER_LOOK,
      diff: { style: 'long', operands: ['word'] },
      history: DOCKER_LOOK,
      compose: COMPOSE,
      container: {
        subcommands: {
          ls: DOCKER_LOOK,
          ps: DOCKER_LOOK,
          list: DOCKER_LOOK,
          logs: DOCKER_LOGS,
          top: { style: 'long', operands: ['word'] },
        },
      },
      image: { subcommands: { ls: DOCKER_LOOK, list: DOCKER_LOOK, history: DOCKER_LOOK } },
      volume: { subcommands: { ls: DOCKER_LOOK, list: DOCKER_LOOK } },
      network: { subcommands: { ls: DOCKER_LOOK, list: DOCKER_LOOK } },
    },
    bare: { style: 'long', flags: flagTable('--version -v') },
  },
  'docker-compose': { ...COMPOSE, bare: { style: 'long', flags: flagTable('--version -v') } },
};

/** A word without a plus in front would set the clock. */
function judgeDate({ operands }: ProgramUse): Finding[] {
  return operands
    .filter((arg) => !arg.value.startsWith('+'))
    .map((arg) => finding('operands.unexpected', `${arg.span.text} would set the clock.`, arg.span));
}

/** The BSD letter `e` shows the environment of processes. */
function judgePs({ operands }: ProgramUse): Finding[] {
  return operands
    .filter((arg) => !/^[afhjlruwx]*$/.test(arg.value))
    .map((arg) =>
      finding('operands.unexpected', `${arg.value} is not a known way to choose processes.`, arg.span),
    );
}

function judgeStats({ flags, part }: ProgramUse): Finding[] {
  if (flags.some(({ name }) => name === '--no-stream')) return [];
  return [finding('flags.value', 'docker stats without --no-stream never ends.', part.span)];
}

/** `tar tzf a.tgz`: the first word may be letters of flags without a dash. */
function judgeTar({ program, args, state, part }: ProgramWords): Finding[] {
  const [first, ...rest] = args;
  const isBundle = first?.kind === 'literal' && /^[tvzjJ]*f$/.test(first.value);
  const words = isBundle ? [{ ...first, value: `-${first.value}` }, ...rest] : args;
  return judgeUse(program, words, TAR, state, part);
}

function judgeListing({ program, flags, part }: ProgramUse): Finding[] {
  const isListing = flags.some(({ name }) => name === '-t' || name === '--list' || name === '-l');
  const remote = flags.find(({ value }) => value?.includes(':') === true);
  if (isListing && remote === undefined) return [];
  return [
    finding(
      'program.unknown_subcommand',
      `${program} is approved only for listing an archive.`,
      remote?.arg.span ?? part.span,
    ),
  ];
}

function judgeVersion({ program, args, part }: ProgramWords): Finding[] {
  const [only] = args;
  if (
    args.length === 1 &&
    only?.kind === 'literal' &&
    /^(--version|-version|-V|-v|version)$/.test(only.value)
  ) {
    const isSure = only.value !== '-v' || /^(ruby|perl|php|gcc|g\+\+|clang|cc|gem)$/.test(program);
    if (isSure && !(only.value === 'version' && program === 'gem')) return [];
  }
  // Code in the line stays outside of what an allow entry for the program covers.
  if (
    isNetworkProgram(program) ||
    (isInterpreter(program) && args.some(({ value }) => /^-\w*[erc]/.test(value)))
  ) {
    return [unjudged(program, part.span)];
  }
  return [
    finding('program.unknown_subcommand', `${program} is approved only for showing its version.`, part.span),
  ];
}
