/** Programs that want everything for themselves, and that do not want to end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.js';
import { broken, type Finding } from '../finding.js';
import type { Arena } from '../arena.js';
import { probe, type ProbeOptions } from '../probe.js';

/** The worker may grow by so much while a command does its worst. */
const MOST_GROWTH_MB = 300;
/** Another task's command answers in that time, on a machine that has much else to do. */
const MOST_WAIT_MS = 6_000;
/** The worker's only thread may be busy so long at a time. */
const MOST_STALL_MS = 2_000;

/** Runs a probe while another command runs beside it and the worker's own memory and pace are looked at. */
function bomb(name: string, what: string, program: string, options: ProbeOptions = {}): Attack {
  const attack = probe(name, what, program, options);
  return { ...attack, run: (arena) => watched(arena, () => attack.run(arena)) };
}

async function watched(arena: Arena, run: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  const before = process.memoryUsage().rss;
  let most = before;
  let stall = 0;
  let last = performance.now();
  const look = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
    stall = Math.max(stall, performance.now() - last - 50);
    last = performance.now();
  }, 50);
  try {
    const [found, waited] = await Promise.all([run(), pingBeside(arena)]);
    const grown = Math.round((most - before) / 1_048_576);
    return [
      ...found,
      ...(grown > MOST_GROWTH_MB ? [broken(`the worker grew by ${grown} MB`)] : []),
      ...(stall > MOST_STALL_MS ? [broken(`the worker stood still for ${Math.round(stall)} ms`)] : []),
      ...(waited > MOST_WAIT_MS ? [broken(`a command beside it took ${waited} ms`)] : []),
    ];
  } finally {
    clearInterval(look);
  }
}

/** Another task's command, a moment later. */
async function pingBeside(arena: Arena): Promise<number> {
  const beside = `${arena.workspaces}/task_beside`;
  arena.folderOfUser(beside);
  await sleep(400);
  const startedAt = performance.now();
  const { output } = await arena.run('echo pong', { workspacePath: beside, cwd: beside, timeoutMs: 20_000 });
  return output.includes('pong') ? Math.round(performance.now() - startedAt) : Infinity;
}

const cut = (timeoutMs: number): ProbeOptions => ({ isCut: true, spec: { timeoutMs, graceMs: 300 } });
const perl = (program: string) => `perl -e '${program}'`;

const hungry: readonly Attack[] = [
  bomb(
    'memory',
    'takes memory without end',
    perl('my @a; while (1) { push @a, "x" x 10_000_000 }'),
    cut(5_000),
  ),
  bomb(
    'memory-many',
    'takes memory with many processes',
    `for i in $(seq 40); do ${perl('my @a; for (1..40) { push @a, "x" x 5_000_000; select undef, undef, undef, .02 } sleep 9')} & done; wait`,
    cut(4_000),
  ),
  bomb(
    'memory-files',
    'fills its folders in memory',
    'head -c 9000000000 /dev/zero > /tmp/x; head -c 9000000000 /dev/zero > /dev/shm/x; df -m /tmp /dev/shm',
    { ...cut(5_000) },
  ),
  bomb(
    'memory-unseen',
    'takes memory that is no process’s',
    perl(
      'require "syscall.ph" if 0; for (1..2000) { open(my $f, "+>", "/dev/shm/s$_") or last; print $f "x" x 4_000_000; push our @k, $f }',
    ),
    cut(4_000),
  ),
  bomb('fork', 'forks without end', 'f() { f | f & }; f; sleep 3', cut(3_000)),
  bomb(
    'fork-perl',
    'forks without end, and each fork leaves',
    perl('while (1) { my $p = fork; if (defined $p && !$p) { setpgrp; $SIG{TERM} = "IGNORE" } }'),
    cut(3_000),
  ),
  bomb(
    'spin',
    'keeps all processors busy',
    'for i in 1 2 3 4 5 6 7 8; do while :; do :; done & done; sleep 2; kill %1',
    cut(3_000),
  ),
  bomb('output', 'writes 1 GB of output', 'head -c 1000000000 /dev/zero | tr "\\0" "x"', {
    isCut: true,
    once: true,
    spec: { timeoutMs: 20_000 },
  }),
  bomb('output-nul', 'writes 300 MB of NUL bytes', 'head -c 300000000 /dev/zero', {
    isCut: true,
    once: true,
    spec: { timeoutMs: 20_000 },
  }),
  bomb('output-lines', 'writes lines without end', 'yes', cut(3_000)),
  bomb('output-binary', 'writes bytes that are no text', 'head -c 50000000 /dev/urandom', cut(10_000)),
  bomb(
    'files-million',
    'makes a million files',
    perl(
      'mkdir "m"; for my $d (0..999) { mkdir "m/$d"; for (0..999) { open(my $f, ">", "m/$d/$_") or last } }',
    ),
    { ...cut(12_000), once: true, after: emptied },
  ),
  bomb(
    'files-in-one',
    'makes 200,000 files in one folder',
    perl('mkdir "m"; for (0..199_999) { open(my $f, ">", "m/$_") or last }'),
    { ...cut(12_000), once: true, after: emptied },
  ),
  bomb(
    'folders-deep',
    'makes folders 3,000 levels deep',
    'for i in $(seq 3000); do mkdir d 2>/dev/null && cd d 2>/dev/null || break; done',
    { ...cut(10_000), once: true, after: emptied },
  ),
  bomb(
    'file-large',
    'writes a file without end',
    'head -c 3000000000 /dev/zero > big; s=$(stat -c %s big 2>/dev/null); rm -f big; [ "${s:-0}" -gt 1100000000 ] && got "a file of $s bytes"; true',
    cut(15_000),
  ),
  bomb(
    'file-sparse',
    'makes a file of 100 GB of nothing',
    'truncate -s 100G s && got "a sparse file of 100 GB"; perl -e "truncate(q(t), 1e11)"; true',
    { spec: { timeoutMs: 10_000 }, after: emptied },
  ),
  bomb(
    'descriptors',
    'opens files without end',
    perl(
      'my @f; while (1) { open(my $f, "<", "/dev/null") or last; push @f, $f } print scalar(@f), "\\n"; sleep 1',
    ),
    cut(5_000),
  ),
];

/** Takes away what the next look would have to go through. */
async function emptied(arena: Arena): Promise<readonly Finding[]> {
  const { output } = await arena.run('chmod -R u+rwx . 2>/dev/null; rm -rf m d s t; ls -A', {
    timeoutMs: 60_000,
  });
  return output.trim() === 'THE-END' || output.trim() === ''
    ? []
    : [broken(`it could not be tidied up: ${output.slice(0, 200)}`)];
}

const stubborn: readonly Attack[] = [
  probe(
    'setsid',
    'leaves children in sessions of their own',
    // Waits until they have left: one that is still on its way would end with its shell, and prove nothing.
    'stay() { setsid setsid sh -c "echo >left.$1; exec sleep 300"; }; stay 1 & ( stay 2 & ) ; until [ -e left.1 ] && [ -e left.2 ]; do sleep 0.05; done',
  ),
  probe(
    'double-fork',
    'leaves a daemon',
    perl(
      'if (!fork) { setpgrp; if (!fork) { $SIG{HUP} = "IGNORE"; open(my $f, ">", "left"); close $f; chdir "/"; close STDIN; close STDOUT; close STDERR; sleep 300 } select(undef, undef, undef, 0.05) until -e "left"; exit } wait',
    ),
  ),
  probe(
    'nohup',
    'leaves what no signal of the shell ends',
    'nohup sleep 300 >/dev/null 2>&1 & disown -a; true',
  ),
  probe(
    'ignores-term',
    'does not end when it is told to',
    `trap '' TERM INT HUP QUIT; ( trap '' TERM; while :; do sleep 0.2; done ) & while :; do sleep 0.2; done`,
    cut(1_500),
  ),
  probe(
    'pipe-held',
    'a grandchild holds the output and does not end',
    `( setsid sh -c "trap '' TERM; echo >left; while :; do sleep 1; done" & ) ; until [ -e left ]; do sleep 0.05; done; echo first`,
    {},
  ),
  probe(
    'pipe-held-term',
    'a grandchild holds the output, and nobody heeds TERM',
    `trap '' TERM; ( setsid sh -c "trap '' TERM; while :; do sleep 1; done" & ) ; while :; do sleep 1; done`,
    cut(1_500),
  ),
  probe('stopped', 'stops itself and all others', 'sleep 300 & kill -STOP %1; kill -STOP $$', cut(1_500)),
  probe(
    'stopped-group',
    'stops everything it may',
    'sleep 300 & sleep 301 & kill -STOP -1; kill -STOP $$',
    cut(1_500),
  ),
  probe(
    'zombies',
    'leaves the dead of its children',
    perl('for (1..100) { exit if !fork } sleep 2'),
    cut(1_500),
  ),
  probe('stdin', 'waits for input', 'cat; read -r x; echo "$x"', {}),
  probe('closed-output', 'closes its output and goes on', 'exec >&- 2>&-; sleep 300', cut(1_500)),
  probe(
    'forks-after-term',
    'starts something new when it is told to end',
    `trap 'setsid sleep 300 & setsid sleep 301 &' TERM; while :; do sleep 0.1; done`,
    cut(1_500),
  ),
];

export const bombs: readonly Attack[] = [...hungry, ...stubborn];
