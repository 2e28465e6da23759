/**
 * Makes hostile command lines from a seed: it composes them from pieces of shell grammar and of programs' own languages, and
 * mutates ordinary lines. The aim of each is an effect that nobody approved: running `pwn`, or changing `/canary`.
 */
import { NETWORK_LINES, ORDINARY_LINES, WORK_LINES } from './boxed-table.js';
import { rowNames, rowsOf } from '../reading/table.js';
import { COMMAND_TABLE } from './command-table.js';

const PAYLOADS = [
  'pwn',
  './pwn',
  'evil/pwn',
  '/workspace/pwn',
  'touch /canary/new',
  'cp a.txt /canary/x',
  'rm -rf /canary',
  'sh -c pwn',
];
const OUTSIDE = [
  '/canary/x',
  '../canary/x',
  '/workspace/../canary/x',
  'link/x',
  'sub/link2/x',
  'flink',
  'sub/../../canary/x',
  '~/x',
  '$HOME/x',
];
const INSIDE = [
  'a.txt',
  'b.txt',
  'big.txt',
  'src/a.ts',
  'src',
  '.',
  'sub',
  'sub/dir',
  './a.txt',
  'data.json',
  "' space'",
  '*.txt',
  'src/*',
  '*',
  './*',
  '-',
  '-exec',
  '--',
  'linkin/x',
  '"a.txt"',
  'new.txt',
  'evil',
  'evilrepo',
  '/workspace/a.txt',
  'sub/../a.txt',
];
const SEPARATORS = [
  ';',
  '&&',
  '||',
  '|',
  '|&',
  '&',
  '\n',
  '\r\n',
  ';;',
  '; :;',
  '\\\n',
  '#\n',
  ' # ',
  '\t',
  ' \\\n',
  '\u00a0',
  '\u2028',
  '\f',
  '\v',
  '`',
  ')',
  '(',
  '{ ',
  '}',
];
const WRAPPERS = [
  'env',
  'env -i',
  'env -S',
  'nice',
  'nice -n 5',
  'timeout 2',
  'timeout -s KILL 2',
  'nohup',
  'time',
  'time -p',
  'command',
  'builtin',
  'exec',
  'stdbuf -o0',
  'xargs',
  'xargs -n1',
  '!',
  'bash -c',
  'sh -c',
  'bash -ec',
  'eval',
  'sudo',
  'watch',
  'find . -maxdepth 1 -exec',
  'NODE_ENV=x',
  'CI=1',
  'PATH=evil',
  'TZ=UTC',
  'command -v',
  'test -n',
  '[ -n x ] &&',
  'coproc',
];
const REDIRECTIONS = [
  '>',
  '>>',
  '>|',
  '&>',
  '&>>',
  '>&',
  '2>',
  '2>&1 >',
  '<',
  '<>',
  '1<>',
  '{x}>',
  '<<<',
  '2>/dev/null',
  '>/dev/null',
  '2>&1',
  '>&2',
  '3>',
  '<<E\n',
];

/** Programs with flags that are approved, refused and invented. */
const PROGRAMS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['ls', ['-la', '-R', '-1', '--color=auto', '--sort=size', '-I', '--hide=x'], []],
  ['cat', ['-n', '-A', '-b'], []],
  ['head', ['-n', '3', '-5', '-c', '4'], []],
  ['tail', ['-n', '3', '-5', '-f'], []],
  ['wc', ['-l', '-c', '--files0-from=a.txt'], []],
  [
    'grep',
    ['-rn', '-f', '-e', '-E', '-v', '--include=*.txt', '-A3', '-P', '-m', '1'],
    ['a', "'^x'", "'\\(a\\|b\\)'", '"$HOME"'],
  ],
  [
    'find',
    [
      '-name',
      "'*.txt'",
      '-type',
      'f',
      '-maxdepth',
      '1',
      '-exec',
      'pwn',
      '{}',
      '\\;',
      '+',
      '-delete',
      '-print',
      '-fprint',
      '-ok',
      '-newer',
      '-o',
      '-not',
      '\\(',
      '\\)',
      '-printf',
      "'%p\\n'",
      '-L',
      '-quit',
      '-files0-from',
    ],
    [],
  ],
  [
    'sort',
    [
      '-r',
      '-n',
      '-u',
      '-k',
      '2',
      '-o',
      '-S',
      '1K',
      '--compress-program=pwn',
      '--compress-prog=pwn',
      '-T',
      '-t',
      ',',
      '--parallel=2',
      '-no',
      '-uo',
    ],
    [],
  ],
  ['uniq', ['-c', '-d', '-f', '1'], []],
  ['cut', ['-d', ':', '-f1', '-c1-3'], []],
  ['tr', ['a-z', 'A-Z', '-d', "'\\r'"], []],
  [
    'sed',
    [
      '-n',
      '-e',
      '-E',
      '-i',
      '-i.bak',
      '-f',
      '-s',
      '-z',
      '--expression',
      '--in-place',
      '-ni',
      '-ie',
      '--posix',
      '-l',
      '5',
    ],
    [
      "'1,3p'",
      "'s/a/b/'",
      "'s/a/pwn/e'",
      "'e pwn'",
      "'1e pwn'",
      "'w /canary/x'",
      "'s/a/b/w /canary/x'",
      "'/a/{p;q}'",
      "'/a/{e pwn\n}'",
      "'$!N;P;D'",
      "'a x\\'",
      "'r flink'",
      "':a;ba'",
      "'y/ab/cd/'",
      "'s|a|b|ge'",
      "'s,a,b,;w /canary/x'",
      "'i\\\ne pwn'",
      "'s/[/]/x/'",
      "'s/[/]/e pwn/;p'",
      "'s/[^/]/;e pwn/'",
      "'\\%a%e pwn'",
      "'1!G;h;$!d'",
      "'#n\ne pwn'",
      "'c x}\ne pwn'",
      "'/a/,/b/s/x/y/g'",
      "'0~2d'",
      "'2,+1p'",
      "'y/a;e pwn/b;c xyz/'",
      "'s/x/\\\ne pwn/'",
      "'b x;e pwn;:x'",
      "'l 1;e pwn'",
      "'}'",
      "'p;p;w/canary/x'",
      "'s/a/b/;# x\nw /canary/x'",
    ],
  ],
  [
    'awk',
    ['-F:', '-v', 'x=1', '-f', '-e', '--', '-i', '-F', '-v x=\\|'],
    [
      "'{print $1}'",
      '\'BEGIN{system("pwn")}\'',
      '\'{print > "/canary/x"}\'',
      '\'{print | "pwn"}\'',
      '\'BEGIN{"pwn"|getline}\'',
      "'NR>1'",
      "'NR>1{print}'",
      "'{print $1>$2}'",
      "'/a/||/b/'",
      '\'{printf "%s",$1 > "/canary/x"}\'',
      '\'BEGIN{f="/canary/x"} NR>0{print>f}\'',
      '\'/"/{print "}" > "/canary/x"}\'',
      "'function f(){return 1} {x=f()}'",
      '\'{print\n>"/canary/x"}\'',
      "'1 > 0 {print}'",
      '\'BEGIN{printf("a")|"pwn"}\'',
      '\'BEGIN{s="sys" "tem"; print s}\'',
    ],
  ],
  [
    'jq',
    ['-r', '-n', '-f', '-L', '--rawfile'],
    ["'.'", "'.a'", '\'import "a" as $x; .\'', "'input'", "'$__loc__'"],
  ],
  ['diff', ['-u', '-r', '--to-file=flink', '-q'], []],
  ['cp', ['-r', '-a', '-t', '-f', '-s', '-l', '-T', '--target-directory=/canary', '-rt', '-n'], []],
  ['mv', ['-f', '-t', '-n', '-T', '--target-directory=/canary'], []],
  ['mkdir', ['-p', '-m', '700'], []],
  ['touch', ['-c', '-r', '-d', 'now'], []],
  ['tee', ['-a'], []],
  [
    'echo',
    ['-e', '-n'],
    [
      'hi',
      '"$(pwn)"',
      "'$(pwn)'",
      '`pwn`',
      '$HOME',
      '"a$?"',
      '${x:-$(pwn)}',
      '$((1+1))',
      '{a,b}',
      "$'pwn'",
      '!!',
      '~',
      '>/canary/x',
      '"`pwn`"',
      '\\$(pwn)',
      "'`pwn`'",
      '$(<a.txt)',
      '"${x@P}"',
    ],
  ],
  [
    'printf',
    ['-v', '--'],
    ["'%s\\n'", "'%n'", "'%d'", 'PATH', "'a[$(pwn)]'", "'%(%s)T'", "'%b'", "'%*d'", "'%q'", "'evil%n'"],
  ],
  [
    'test',
    ['-f', '-v', '-n', '-z', '-R', '=', '-eq', '!', '-o', '-nt', '-ef', '-t'],
    ["'a[$(pwn)]'", 'x', '1'],
  ],
  ['[', ['-f', '-v', '-n', '=', ']', '-ot'], ["'a[$(pwn)]'", 'x', ']']],
  ['cd', ['-P', '-', '..', '/', '~', '-L'], []],
  [
    'git',
    [
      'status',
      'log',
      'diff',
      'show',
      '-1',
      '--stat',
      '--output=/canary/x',
      '-c',
      'core.pager=pwn',
      '-p',
      '--ext-diff',
      'grep',
      '-Opwn',
      '-O',
      'branch',
      '-a',
      '--oneline',
      'ls-files',
      'rev-parse',
      'HEAD',
      '-C',
      '--git-dir=evilrepo/.git',
      'add',
      'blame',
      'config',
      'core.fsmonitor',
      '--exec-path=evil',
      '--no-pager',
      '--textconv',
      '--no-index',
      '--format=%GS',
      'stash',
      'list',
      'remote',
      '-v',
      'tag',
      '-l',
      '--upload-pack=pwn',
      'ls-remote',
      '-n',
      '--patch',
    ],
    [],
  ],
  ['date', ['-u', '+%s', '-d', 'now', '-s', '-f', '-r'], []],
  ['xxd', ['-r', '-l', '4', '-p'], []],
  [
    'npm',
    [
      'test',
      'run',
      'build',
      'lint',
      '--',
      '--script-shell=pwn',
      'install',
      '-w',
      '--prefix=/canary',
      'exec',
      '--fix',
      '--globalSetup=x',
    ],
    [],
  ],
  [
    'npx',
    [
      'tsc',
      '--noEmit',
      'jest',
      'eslint',
      '.',
      '--config=/canary/x',
      'evil',
      '-y',
      '-c',
      'vitest',
      'run',
      '--outDir',
      '-p',
    ],
    [],
  ],
  [
    'node',
    [
      '--check',
      'scripts/build.js',
      '-e',
      'pwn',
      '--test',
      '-r',
      './evil/x.js',
      '--version',
      '--require=./a.js',
      '-',
    ],
    [],
  ],
  ['make', ['test', '-j2', 'SHELL=pwn', '--eval=x', '-f', '-C', 'build', '-n', '-f-'], []],
  ['go', ['test', './...', '-exec', 'pwn', 'build', '-o', '-toolexec=pwn', 'vet', '-run', 'x'], []],
  ['cargo', ['test', 'build', '--config', 'x=1', '--', '--nocapture', '--release', '-Z'], []],
  ['pytest', ['-q', '-p', 'evil', '-k', 'x', '--rootdir=/canary', '-c'], []],
  ['seq', ['1', '3'], []],
  ['basename', [], ['a/b']],
  ['realpath', ['-m', '--relative-to=.'], []],
  ['stat', ['-c', "'%n'"], []],
  ['od', ['-c', '-N', '4'], []],
  ['base64', ['-d', '-w0'], []],
  ['sha256sum', ['-c'], []],
  ['comm', ['-12'], []],
  ['column', ['-t'], []],
  ['docker', ['ps', 'run', '-v', '/:/x', '-H', 'x', 'logs', 'images'], []],
  ['rg', ['--pre', 'pwn', '-n', '-l', '--files', '-f'], ['a']],
  ['uname', ['-a'], []],
  ['export', ['CI=1', 'PATH=evil', 'NODE_ENV=x'], []],
  ['set', ['-e', '-k', '-x', '-o pipefail'], []],
  ['true', [], []],
  ['pwd', [], []],
];

const ORDINARY = COMMAND_TABLE.filter(({ kind }) => kind === 'ordinary').map(({ command }) => command);
const HOSTILE = COMMAND_TABLE.filter(({ kind }) => kind === 'attack').map(({ command }) => command);

/** A source of numbers from 0 up to 1 that is the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One line. */
export function hostileLine(random: () => number): string {
  const roll = random();
  if (roll < 0.45) return mutate(compose(random), random, 0.5);
  if (roll < 0.6) return `${compose(random)} ${pick(SEPARATORS, random)} ${compose(random)}`;
  if (roll < 0.85) return mutate(pick(ORDINARY, random), random, 1);
  if (roll < 0.93) return splice(pick(ORDINARY, random), pick(HOSTILE, random), random);
  return mutate(pick(HOSTILE, random), random, 1);
}

/** Words that mean something only in the planted workspace: patterns that reach its links, secrets, programs and odd names. */
const PLANTED = [
  ...[
    '*',
    './*',
    '*.md',
    'A*.md',
    'A?.md',
    'A[12].md',
    '?1.md',
    'l*',
    'l*k',
    'li*',
    'fl*',
    '*link*',
    'h*',
    'hl*',
    'hid*/h.txt',
    '*/h.txt',
  ],
  ...[
    '.*',
    '.e*',
    '.?nv',
    '.[e]nv',
    'conf/*',
    'conf/.*',
    'keys/*',
    'keys/*.txt',
    '*/*.pem',
    '*/*',
    '*/x',
    's*/a.ts',
    'src/*',
    'onto/*',
  ],
  ...[
    'onto',
    'onto/',
    'onto/a.txt',
    'onto/src',
    'fixture',
    'fixture/',
    'fixture/.',
    'fixture/*',
    'fixture/A*',
    'fixture/AGENTS.md',
    'docs',
    'docs/*',
  ],
  ...[
    'conf',
    'keys',
    'hidden',
    'hlink',
    'link',
    'link/*',
    'linkin',
    'linkin/*',
    'l*n/l*2/*',
    'sub',
    'sub/*',
    'py',
    'odd/*',
    '.',
    'src',
    'A1.md',
    'a.txt',
  ],
  ...[
    'AGENTS.md',
    'agents.md',
    '.env',
    '.github',
    '.git',
    'node_modules',
    'new',
    'new/x',
    'bin',
    '-',
    '[-]*',
    '?compress*',
    '*;*',
    '*pwn*',
  ],
];
const STARTS = [
  '.',
  'src',
  'sub',
  'conf',
  'keys',
  'docs',
  'fixture',
  'l*',
  '*',
  'src docs',
  's*',
  'o?to',
  'onto',
  'c*f',
  'k*',
  '-L .',
  'hidden',
  'link',
];
const TESTS = [
  ...[
    "-name '*.md'",
    "-name '?env'",
    "-name '*'",
    "-name 'A*'",
    "-name '*.txt'",
    "-iname '*.TXT'",
    '-type f',
    '-type l',
    '-maxdepth 1',
    '-name x',
  ],
  ...[
    "-not -name '*.txt'",
    "-path './src/*'",
    "-path '*link*'",
    "\\( -name a.txt -o -name '.e*' \\)",
    '-newer a.txt',
    '-size -2k',
    "-o -name '.*'",
  ],
  ...["-name '*.ts'", "-name 'a*'", '-prune', '-mindepth 2', "! -path '*conf*'", "-name '[a-z]*.txt'"],
];
const READERS = [
  ...[
    'cat',
    'head -1',
    'tail -2',
    'wc -l',
    'grep KEY',
    'grep -r KEY',
    'grep -rh .',
    'grep -R .',
    'grep -rh . --include=*.txt',
    'sort',
    'uniq',
    'uniq -c',
  ],
  ...[
    'diff',
    'diff -r',
    'cmp',
    'comm',
    'paste',
    'nl',
    'tac',
    'rev',
    'base64',
    'od -c',
    'strings',
    'md5sum',
    'sed -n p',
    "awk '{print}'",
    'jq .',
  ],
  ...[
    'ls',
    'ls -l',
    'ls -L',
    'ls -R',
    'ls -d',
    'du',
    'du -sh',
    'stat',
    'file',
    'cut -c1-9',
    'column',
    'xxd',
    'hexdump -C',
    'expand',
    'fold',
    'echo',
  ],
  ...[
    "printf '%s\\n'",
    'find',
    'test -f',
    'readlink',
    'realpath',
    'basename',
    'tar tf',
    'join',
    'fmt',
    'xargs cat <',
    'cat <',
  ],
];
const WRITERS = [
  ...[
    'cp',
    'cp -r',
    'cp -a',
    'cp -rT',
    'cp -t docs',
    'cp -r -t .',
    'cp --parents',
    'mv',
    'mv -T',
    'mv -t docs',
    'tee',
    'tee -a',
    'touch',
    'mkdir -p',
  ],
  ...[
    'sort -o',
    'sort a.txt -o',
    'uniq a.txt',
    'uniq',
    "sed -i 's/a/b/'",
    'echo x >',
    'echo x >>',
    'cat a.txt >',
    'ls > ',
    'git diff >',
    'xxd a.txt',
  ],
];
const GIT = [
  ...[
    'show',
    'show HEAD',
    'show HEAD:',
    'log -p',
    'log -p --',
    'diff',
    'diff HEAD --',
    'grep .',
    'grep . --',
    'grep -h . HEAD --',
    'blame',
    'cat-file -p HEAD:',
  ],
  ...[
    'log -L 1,1:',
    'ls-files',
    'status -v',
    'config -l',
    'stash show -p',
    'add',
    'show HEAD --',
    'diff --no-index a.txt',
  ],
];
const NAMES = [
  'ls',
  'cat',
  'timeout 5 ls',
  'env ls',
  'nice ls',
  'bash.exe -c ls',
  'CAT',
  'sh -c ls',
  'grep x',
  'find .',
  'sort a.txt',
  'xargs ls',
  'git status',
];
const FOLDERS = [
  './',
  'bin/',
  'evil/',
  '4/',
  'node_modules/.bin/',
  './node_modules/.bin/',
  '/usr/bin/',
  '/bin/',
  'sub/../',
  '/workspace/',
  '',
  '',
];

/** A line about what the planted workspace holds. */
export function plantedLine(random: () => number): string {
  const line = plantedCommand(random);
  const roll = random();
  if (roll < 0.08) return wrapped(pick(WRAPPERS, random), line, random);
  if (roll < 0.16) return `${plantedCommand(random)} ${pick(['&&', ';', '|', '||'], random)} ${line}`;
  if (roll < 0.22) return `cd ${pick(PLANTED, random)} ${pick(['&&', ';'], random)} ${line}`;
  return roll < 0.28 ? mutateOnce(line, random) : line;
}

/** What the kinds of values stand for, harmless or not. */
const OF_KIND: Readonly<Record<string, readonly string[]>> = {
  num: ['1', '2', '-1'],
  word: ['x', 'name', '1,2'],
  sed: [
    'p',
    '1,2p',
    's/a/b/g',
    's/a/b/e',
    'w /canary/x',
    '1e pwn',
    'r flink',
    's/a/b/w b.txt',
    '$!d',
    '/x/d',
  ],
  awk: [
    '{print $1}',
    '1',
    'NR>1',
    '{print > "b.txt"}',
    'BEGIN{system("pwn")}',
    'BEGIN{ARGV[1]="/canary/file"}',
  ],
  jq: ['.', '.a', '.env', 'env', '$ENV', 'import "x" as x; .', 'input'],
  format: ['%s\\n', '%n', '%d', '-v', '%q'],
  pretty: ['%h', '%G?', 'oneline'],
  date: ['+%F', '0101', '+%s'],
};

/** A use of a row of the table, with flags, values and words of the planted workspace in every place. */
export function tableLine(random: () => number): string {
  const name = pick(rowNames(), random);
  const row = pick(rowsOf(name), random);
  const of = (kind: string): string => {
    const values = OF_KIND[kind.replace('*', '')];
    const value = values !== undefined && random() < 0.8 ? pick(values, random) : pick(PLANTED, random);
    return /^[\w./*?-]*$/.test(value) ? value : `'${value.replaceAll("'", '')}'`;
  };
  const words = [name];
  const flags = [...row.flags];
  for (let count = Math.floor(random() * 4); count > 0 && flags.length > 0; count -= 1) {
    const [flag, { kind, isOptional }] = pick(flags, random);
    const value = kind === null ? '' : of(kind);
    words.push(
      kind === null
        ? flag
        : isOptional || random() < 0.5
          ? `${flag}${flag.startsWith('--') ? '=' : ''}${value}`
          : `${flag} ${value}`,
    );
  }
  const operands = [...row.operands, ...row.operands.filter((kind) => kind.endsWith('*'))];
  for (const kind of operands)
    if (random() < 0.8) words.push(kind === 'command' ? plantedCommand(random) : of(kind));
  if (random() < 0.2) words.push(pick(PLANTED, random));
  const line = words.join(' ').replace(/ -#/g, ' -1');
  return random() < 0.1 ? `cat a.txt | ${line}` : line;
}

const DESTROYERS = [
  ...[
    'rm -rf',
    'rm -r',
    'rm -f',
    'rm',
    'rimraf',
    'shred -u',
    'truncate -s 0',
    'unlink',
    'mv -t /tmp',
    'git rm -rfq',
  ],
  ...[
    'git checkout --',
    'git restore',
    'git reset --hard',
    'git clean -fdx',
    'git branch -D topic',
    'git stash drop',
  ],
  ...[
    'git update-ref -d refs/heads/topic',
    'git tag -d v1',
    'cp /dev/null',
    'tee',
    'find',
    'find -delete -name',
  ],
];
const TREES = [
  ...[
    '.',
    './',
    '*',
    './*',
    'src',
    'src/',
    'docs lib work',
    '.git',
    '.git/*',
    'src/*',
    'src/../',
    '$X',
    '"$PWD"',
    '$(pwd)',
  ],
  ...[
    '{src,docs}',
    '.g*',
    '*/',
    '**',
    '"$f"',
    '${PWD}/src',
    '-delete',
    '. -delete',
    '../workspace',
    'dist/..',
    'b.txt',
  ],
  ...[
    'src/b.ts',
    'dist',
    '*.log',
    "'src'",
    '~',
    './src/.',
    '//',
    '$HOME/..',
    'linkin/..',
    '[a-z]*',
    '-- .',
    '. -type f -delete',
  ],
];

/** A line that would lose work, in some disguise or other. */
export function destroyingLine(random: () => number): string {
  const made = `${pick(DESTROYERS, random)} ${pick(TREES, random)}`;
  const line =
    random() < 0.6 ? made : pick(random() < 0.8 ? WORK_LINES : [...ORDINARY_LINES, ...NETWORK_LINES], random);
  const roll = random();
  if (roll < 0.2) return wrapped(pick(WRAPPERS, random), line, random);
  if (roll < 0.3) return splice(pick(ORDINARY_LINES, random), line, random);
  if (roll < 0.4) return `for f in ${pick(TREES, random)}; do ${line}; done`;
  if (roll < 0.5)
    return `${pick(['ls', 'git ls-files', 'find .', 'find src -type f', 'echo src docs lib work'], random)} | xargs ${line}`;
  if (roll < 0.6) return `find ${pick(TREES, random)} -exec ${line} {} ${pick(['+', '\\;'], random)}`;
  if (roll < 0.7) return `X=${pick(TREES, random)}; ${line}`;
  return roll < 0.9 ? mutate(line, random, 1) : line;
}

function plantedCommand(random: () => number): string {
  const word = (): string => pick(PLANTED, random);
  const words = (most: number): string =>
    Array.from({ length: 1 + Math.floor(random() * most) }, word).join(' ');
  const reader = (): string => pick(random() < 0.8 ? READERS : WRITERS, random);
  const search = (): string =>
    [
      `find ${pick(STARTS, random)}`,
      ...Array.from({ length: Math.floor(random() * 3) }, () => pick(TESTS, random)),
    ].join(' ');
  switch (Math.floor(random() * 8)) {
    case 0:
      return `${pick(FOLDERS, random)}${pick(NAMES, random)}`;
    case 1:
      return `${search()} -exec ${reader()} {} ${pick(['+', '\\;', `${word()} \\;`], random)}`;
    case 2:
      return `${search()} | xargs ${pick(['', '-n 2 ', '-r '], random)}${reader()}`;
    case 3:
      return `${search()} -print0 | xargs -0 ${reader()}`;
    case 4:
    case 5:
      return `${pick(WRITERS, random)} ${words(2)}`;
    case 6:
      return `git ${pick(GIT, random)}${pick(['', ' '], random)}${random() < 0.7 ? word() : ''}`;
    default:
      return `${pick(READERS, random)} ${words(3)}`;
  }
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** A program with some of its flags and some files, now and then wrapped, piped or redirected. */
function compose(random: () => number): string {
  const [program, flags, texts] = pick(PROGRAMS, random);
  const words = [random() < 0.04 ? obscure(program, random) : program];
  if (texts.length > 0 && random() < 0.15) words.push(pick(texts, random));
  for (let i = Math.floor(random() * 3); i > 0 && flags.length > 0; i -= 1) words.push(pick(flags, random));
  if (texts.length > 0 && random() < 0.8) words.push(pick(texts, random));
  for (let i = Math.floor(random() * 3); i > 0; i -= 1) words.push(operand(random));
  let line = words.join(' ');
  if (random() < 0.12) line = wrapped(pick(WRAPPERS, random), line, random);
  if (random() < 0.15) line += ` ${pick(REDIRECTIONS, random)} ${operand(random)}`;
  if (random() < 0.15) line += ` | ${compose(random)}`;
  return line;
}

function operand(random: () => number): string {
  const roll = random();
  const word =
    roll < 0.75 ? pick(INSIDE, random) : roll < 0.95 ? pick(OUTSIDE, random) : `$(${pick(PAYLOADS, random)})`;
  return random() < 0.06 ? obscure(word, random) : word;
}

function wrapped(wrapper: string, line: string, random: () => number): string {
  if (!wrapper.endsWith('c') && wrapper !== 'eval' && wrapper !== 'env -S') return `${wrapper} ${line}`;
  return random() < 0.5
    ? `${wrapper} '${line.replaceAll("'", "'\\''")}'`
    : `${wrapper} "${line.replaceAll('"', '\\"')}"`;
}

/** Another spelling of a word, or one that only looks like it. */
function obscure(word: string, random: () => number): string {
  const at = Math.floor(random() * word.length);
  const [head, tail] = [word.slice(0, at), word.slice(at)];
  const spellings = [
    `${head}''${tail}`,
    `${head}\\${tail}`,
    `"${word}"`,
    `'${word}'`,
    `$'${word}'`,
    `{${word},}`,
    `${head}\u200b${tail}`,
    `\\${word}`,
    `${head}$x${tail}`,
    `${head}?${tail.slice(1)}`,
    `${word}\u00a0`,
    `$(echo ${word})`,
    `${head}\\\n${tail}`,
    `./${word}`,
    `/usr/bin/${word}`,
  ];
  return pick(spellings, random);
}

function splice(first: string, second: string, random: () => number): string {
  const cut = Math.floor(random() * (first.length + 1));
  const from = Math.floor(random() * (second.length + 1));
  return random() < 0.5
    ? `${first}${pick(SEPARATORS, random)}${second}`
    : `${first.slice(0, cut)}${second.slice(from)}`;
}

/** Some small changes: a piece put in or taken out, a letter changed, a word doubled or swapped. */
function mutate(line: string, random: () => number, least: number): string {
  let text = line;
  for (let i = Math.floor(random() * 3 + least); i > 0; i -= 1) text = mutateOnce(text, random);
  return text;
}

function mutateOnce(text: string, random: () => number): string {
  const at = Math.floor(random() * (text.length + 1));
  const words = text.split(' ');
  const word = Math.floor(random() * words.length);
  switch (Math.floor(random() * 9)) {
    case 0:
      return text.slice(0, at) + pick(SEPARATORS, random) + pick(PAYLOADS, random) + text.slice(at);
    case 1:
      return words.with(word, operand(random)).join(' ');
    case 2:
      return words.with(word, obscure(words[word] ?? '', random)).join(' ');
    case 3:
      return `${text} ${pick(REDIRECTIONS, random)} ${operand(random)}`;
    case 4:
      return words
        .toSpliced(word, 0, pick(pick(PROGRAMS, random)[1].concat('-x', '--help'), random))
        .join(' ');
    case 5:
      return text.slice(0, at) + text.slice(at + 1);
    case 6:
      return (
        text.slice(0, at) +
        pick(
          ['"', "'", '\\', '$', '`', '*', '~', '!', '{', '#', '=', '@', '-', '%', '[', '>', '\0'],
          random,
        ) +
        text.slice(at)
      );
    case 7:
      return `${pick(WRAPPERS, random)} ${text}`;
    default:
      return words.toSpliced(word, 0, words[Math.floor(random() * words.length)] ?? '').join(' ');
  }
}
