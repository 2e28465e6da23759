/**
 * A process swaps a folder of the workspace for a link to a place outside, and back, as fast as it can, while our code reads, writes,
 * lists, searches, copies and removes: a check that is over when the file is opened is worth nothing here.
 */
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { NO_RULES } from '@bullpen/contracts';
import { commandFacts, HiddenPaths, WorkspaceManager, WorkspaceRemoval } from '@bullpen/workspace';
import { input, type Attack } from '../attack.js';
import { broken, escaped, type Finding } from '../finding.js';
import type { Arena } from '../arena.js';
import { perlNumbers } from '../syscalls.js';
import { contentOf } from './copies.js';

const RACE_MS = 1_500;
/** Fewer tries than this show nothing. */
const LEAST_SWAPS = 500;

/** Swaps the two names that it is given in one step each time, until it is told to stop or is left alone; then says how often. */
const SWAPPER = `${perlNumbers()}
my ($one, $other) = @ARGV; my ($count, $swaps, $parent) = (0, 0, getppid);
$SIG{TERM} = sub { print "$swaps\\n"; exit 0 };
$| = 1; print "ready\\n";
while (getppid == $parent) { $swaps++ if syscall(SYS_renameat2, -100, $one, -100, $other, 2) == 0; select(undef, undef, undef, 0.00002) if ++$count % 3 == 0 }
`;

interface Race {
  /** The place outside that the folder becomes a link to. */
  readonly vault: string;
}

/** Does it again and again while two names of the workspace change places. Gives how often it was done. */
async function whileSwapping(
  arena: Arena,
  [one, other]: readonly [string, string],
  again: () => Promise<void>,
): Promise<{ tries: number; swaps: number }> {
  const swapper = spawn('perl', ['-e', SWAPPER, one, other], {
    cwd: arena.workspace,
    env: { PATH: '/usr/bin:/bin', ESCAPE_COOKIE: arena.cookie },
    stdio: ['ignore', 'pipe', 'inherit'],
    ...arena.options.user,
  });
  let said = '';
  swapper.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  try {
    await once(swapper.stdout, 'data');
    const deadline = performance.now() + RACE_MS;
    let tries = 0;
    for (; performance.now() < deadline; tries += 1) await again();
    const ended = once(swapper, 'close');
    swapper.kill('SIGTERM');
    await ended;
    return { tries, swaps: Number(said.split('\n').at(-2)) };
  } finally {
    swapper.kill('SIGKILL');
  }
}

/** The workspace, with a folder and a link of the same content by name; outside it is secret. */
function prepare(arena: Arena): Race {
  const { workspace, canaries, folder } = arena;
  const vault = join(folder, 'vault');
  const name = canaries.secret('a name outside');
  if (!existsSync(vault)) {
    mkdirSync(join(vault, 'sub'), { recursive: true, mode: 0o700 });
    canaries.plant(join(vault, 'secret.txt'), 'a file outside');
    canaries.plant(join(vault, 'sub/deep.txt'), 'a deeper file outside');
  }
  writeFileSync(join(vault, name), '');
  canaries.watch(
    vault,
    join(vault, 'secret.txt'),
    join(vault, 'sub'),
    join(vault, 'sub/deep.txt'),
    join(vault, name),
  );
  arena.files({ 'd/secret.txt': 'decoy canary\n', 'd/sub/deep.txt': 'decoy canary\n' });
  symlinkSync(vault, join(workspace, 'e'));
  arena.giveAll(workspace);
  return { vault };
}

function race(name: string, what: string, again: (arena: Arena, race: Race) => Promise<string>): Attack {
  return input(`race-${name}`, `${what} while a folder is swapped for a link`, async (arena) => {
    const prepared = prepare(arena);
    const found: Finding[] = [];
    const { tries, swaps } = await whileSwapping(arena, ['d', 'e'], async () => {
      if (found.length < 5) found.push(...arena.canaries.seenIn(await again(arena, prepared)));
    });
    const isRace = swaps >= LEAST_SWAPS && tries > 1;
    return [...found, ...(isRace ? [] : [broken(`only ${swaps} swaps against ${tries} tries`)])];
  });
}

const tool = (name: string, args: Readonly<Record<string, string | boolean>>) => async (arena: Arena) =>
  (await arena.tools.call(arena.workspace, name, args)).output;

let written = 0;

async function write(arena: Arena): Promise<string> {
  written += 1;
  const path =
    written % 3 === 0 ? `d/new${written}/x.txt` : written % 3 === 1 ? `d/sub/new${written}` : 'd/secret.txt';
  await arena.tools.call(arena.workspace, 'read_file', { path: 'd/secret.txt' });
  const answer = await arena.tools.call(arena.workspace, 'write_file', {
    path,
    content: `attack ${written}\n`,
  });
  return answer.output;
}

async function edit(arena: Arena): Promise<string> {
  const args = { path: 'd/secret.txt', oldText: 'canary', newText: 'canary, changed' };
  const { output } = await arena.tools.call(arena.workspace, 'edit_file', args);
  const back = { path: 'd/secret.txt', oldText: 'canary, changed', newText: 'canary' };
  return output + (await arena.tools.call(arena.workspace, 'edit_file', back)).output;
}

async function copy({ options, workspaces, workspace }: Arena): Promise<string> {
  const manager = new WorkspaceManager({ root: workspaces, allowPaths: 'any', commandUser: options.user });
  const spec = { kind: 'path', path: workspace, copy: true } as const;
  const target = join(workspaces, 'task_race');
  try {
    const { path } = await manager.prepare('task_race', spec, AbortSignal.timeout(10_000));
    return contentOf(path);
  } catch (error) {
    return String(error);
  } finally {
    execFileSync('rm', ['-rf', target]);
  }
}

/** The folder that is swapped stands in a workspace that goes: made anew for each try, at the same place. */
async function remove(arena: Arena): Promise<readonly Finding[]> {
  const { vault } = prepare(arena);
  const id = 'task_removed';
  const workspace = join(arena.workspaces, id);
  const names = Array.from({ length: MOST_FOLDERS }, (_, n) => `m${n}`);
  const fill = (folder: string): void => {
    for (const name of names) mkdirSync(join(folder, name), { recursive: true });
  };
  fill(vault);
  const remover = new WorkspaceRemoval({
    root: arena.workspaces,
    homesRoot: join(arena.home, 'homes'),
    outputsRoot: join(arena.home, 'outputs'),
    shadowsRoot: join(arena.home, 'shadows'),
    workspacesOf: () => Promise.resolve([]),
    onProblem: () => undefined, // It may fail, as long as it takes nothing along.
  });
  await whileSwapping(arena, [join(workspace, 'd'), join(workspace, 'e')], async () => {
    fill(join(workspace, 'd'));
    chownTree(arena, workspace);
    symlinkSync(vault, join(workspace, 'e'));
    await remover.before(id);
    await remover.after(id, true);
    // What is left, the swapper may still hold: it has nothing to swap when one name is gone.
    spawnSync('rm', ['-rf', join(workspace, 'e')]);
    spawnSync('rm', ['-rf', workspace]);
  });
  const gone = names.filter((name) => !existsSync(join(vault, name))).length;
  for (const name of names) rmSync(join(vault, name), { recursive: true, force: true });
  return gone === 0 ? [] : [escaped(`${gone} folders outside were removed`)];
}

const MOST_FOLDERS = 60;

function chownTree(arena: Arena, folder: string): void {
  const { user } = arena.options;
  if (user !== null) execFileSync('chown', ['-R', '-h', `${user.uid}:${user.gid}`, folder]);
}

/** The file that hides things, and one that the policy reads, is a file at one moment and a pipe without a writer at the next. */
function pipes(name: string, file: string, again: (arena: Arena) => unknown): Attack {
  return input(`race-pipe-${name}`, `${file} is swapped for a pipe while we read it`, async (arena) => {
    arena.files({ [file]: '# nothing\n', '.git/HEAD': 'ref: refs/heads/main\n' });
    execFileSync('mkfifo', ['-m', '666', join(arena.workspace, 'pipe')]);
    arena.giveAll(arena.workspace);
    await whileSwapping(arena, [file, 'pipe'], async () => void (await again(arena)));
    return [];
  });
}

const look = ({ workspace }: Arena) => {
  const facts = commandFacts(workspace, {
    cwd: '.',
    searchPath: '/usr/bin',
    files: NO_RULES.files,
    boxed: true,
    openedHosts: [],
  });
  facts.gitPaths();
  facts.holdsNoCredentials(join(workspace, '.npmrc'));
};

export const races: readonly Attack[] = [
  race('read', 'read_file', tool('read_file', { path: 'd/secret.txt' })),
  race('read-deeper', 'read_file', tool('read_file', { path: 'd/sub/deep.txt' })),
  race('near-names', 'read_file of a name that is missing', tool('read_file', { path: 'd/canary-a' })),
  race('list', 'list_files', tool('list_files', { path: '.', recursive: true, details: true })),
  race('list-folder', 'list_files', tool('list_files', { path: 'd' })),
  race('search', 'search_files', tool('search_files', { pattern: 'canary' })),
  race('search-file', 'search_files', tool('search_files', { pattern: 'canary', path: 'd/secret.txt' })),
  race('write', 'write_file', write),
  race('edit', 'edit_file', edit),
  race('copy', 'a copy', copy),
  input('race-remove', 'a workspace is removed while a folder in it is swapped for a link', remove),
  pipes('hiding', '.bullpenignore', ({ workspace }) => HiddenPaths.of(workspace)),
  pipes('ignore', '.gitignore', tool('list_files', {})),
  pipes('index', '.git/index', look),
  pipes('npmrc', '.npmrc', look),
];
