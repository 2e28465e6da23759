/** Files that are none, or that are too many, too large, too deep: our code neither hangs nor swells. */
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { NO_RULES } from '@bullpen/contracts';
import { commandFacts } from '@bullpen/workspace';
import { input, type Attack } from '../attack.js';
import { broken, escaped, type Finding } from '../finding.js';
import type { Arena } from '../arena.js';

const LIMIT_MS = 30_000;

/** The tools with a path, within bounds of time and memory. */
async function within(arena: Arena, path: string, mostMb = 200): Promise<readonly Finding[]> {
  const startedAt = performance.now();
  const before = process.memoryUsage().rss;
  const output = await arena.tools.all(arena.workspace, path);
  const ms = Math.round(performance.now() - startedAt);
  const mb = Math.round((process.memoryUsage().rss - before) / 1_048_576);
  return [
    ...arena.canaries.seenIn(output),
    ...(ms > LIMIT_MS ? [broken(`it took ${ms} ms`)] : []),
    ...(mb > mostMb ? [broken(`it took ${mb} MB of memory`)] : []),
  ];
}

function special(name: string, what: string, plant: (path: string, arena: Arena) => void): Attack {
  return input(`special-${name}`, `the tools meet ${what}`, async (arena) => {
    plant(join(arena.workspace, 'a'), arena);
    arena.giveAll(arena.workspace);
    return [...(await within(arena, 'a')), ...(await within(arena, '.'))];
  });
}

const socket = input('special-socket', 'the tools meet a socket', async (arena) => {
  const server = createServer((connection) => connection.end('greeting'));
  await new Promise<void>((resolve) => server.listen(join(arena.workspace, 'a'), resolve));
  const found = await within(arena, 'a');
  await new Promise((resolve) => server.close(resolve));
  return found;
});

/** Looks that the policy takes before a command: they happen in the worker's only thread. */
function judged(name: string, what: string, plant: (git: string) => void): Attack {
  return input(`judge-${name}`, `the policy looks at a repository with ${what}`, async (arena) => {
    const git = join(arena.workspace, '.git');
    execFileSync('git', ['init', '-q', arena.workspace], { env: { HOME: '/nowhere' } });
    arena.files({ 'a.txt': 'a\n' });
    plant(git);
    const before = process.memoryUsage().rss;
    const facts = commandFacts(arena.workspace, {
      cwd: '.',
      searchPath: '/usr/bin',
      files: NO_RULES.files,
      boxed: true,
      openedHosts: [],
    });
    facts.gitPaths();
    facts.look(arena.workspace);
    facts.holdsNoCredentials(join(git, 'config'));
    facts.holdsNoCredentials(join(arena.workspace, '.npmrc'));
    const mb = Math.round((process.memoryUsage().rss - before) / 1_048_576);
    return mb > 200 ? [broken(`it took ${mb} MB of memory`)] : [];
  });
}

const fifo = (path: string): void => {
  execFileSync('rm', ['-rf', path]);
  execFileSync('mkfifo', ['-m', '666', path]);
};

const looks: readonly Attack[] = [
  judged('git-pipe', 'a pipe for .git', (git) => fifo(git)),
  judged('index-pipe', 'a pipe for its index', (git) => fifo(join(git, 'index'))),
  judged('config-pipe', 'a pipe for its configuration', (git) => fifo(join(git, 'config'))),
  judged('commondir-pipe', 'a pipe for its commondir', (git) => fifo(join(git, 'commondir'))),
  judged('index-endless', 'an index without end', (git) => symlinkSync('/dev/zero', join(git, 'index'))),
  judged('gitdir-endless', 'a .git that is a link to a device', (git) => {
    execFileSync('rm', ['-rf', git]);
    symlinkSync('/dev/zero', git);
  }),
  judged('object-pipe', 'a pipe among its objects', (git) => {
    mkdirSync(join(git, 'objects/ab'), { recursive: true });
    fifo(join(git, 'objects/ab', 'c'.repeat(38)));
    writeFileSync(
      join(git, 'index'),
      Buffer.concat([Buffer.from('DIRC\0\0\0\x02\0\0\0\0'), Buffer.alloc(20)]),
    );
  }),
  judged('object-bomb', 'an object that unpacks to much', (git) => {
    mkdirSync(join(git, 'objects/ab'), { recursive: true });
    writeFileSync(join(git, 'objects/ab', 'd'.repeat(38)), 'x');
    symlinkSync('/dev/zero', join(git, 'objects/ab', 'e'.repeat(38)));
  }),
  judged('npmrc-pipe', 'a pipe for .npmrc', (git) => fifo(join(git, '../.npmrc'))),
];

async function ignoreFiles(arena: Arena): Promise<readonly Finding[]> {
  arena.files({
    '.gitignore': `${'*a'.repeat(2_000)}b\n${'**/'.repeat(1_000)}x\n${'[a-'.repeat(300)}\n`,
    [`${'a'.repeat(200)}`]: 'x\n',
    'sub/.gitignore': '!'.repeat(4_000),
  });
  return within(arena, '.');
}

async function deepFolders(arena: Arena): Promise<readonly Finding[]> {
  const deep = 'd/'.repeat(300);
  mkdirSync(join(arena.workspace, deep), { recursive: true });
  writeFileSync(join(arena.workspace, deep, 'f'), 'canary\n');
  arena.giveAll(arena.workspace);
  return [...(await within(arena, '.')), ...(await within(arena, `${deep}f`))];
}

/** A search takes as long as reading it does, and can be cancelled; nothing else may. */
async function sparse(arena: Arena): Promise<readonly Finding[]> {
  const file = openSync(join(arena.workspace, 'a'), 'w');
  ftruncateSync(file, 10 * 1_024 ** 3);
  closeSync(file);
  arena.giveAll(arena.workspace);
  const startedAt = performance.now();
  const before = process.memoryUsage().rss;
  for (const tool of ['read_file', 'list_files', 'write_file'])
    await arena.tools.call(arena.workspace, tool, {
      path: 'a',
      ...(tool === 'write_file' && { content: 'x' }),
    });
  await arena.tools.call(arena.workspace, 'list_files', { details: true });
  const ms = performance.now() - startedAt;
  const mb = (process.memoryUsage().rss - before) / 1_048_576;
  return ms > LIMIT_MS || mb > 200 ? [broken(`it took ${Math.round(ms)} ms and ${Math.round(mb)} MB`)] : [];
}

/** Names that could pass for other lines of an answer, or talk to a terminal. */
async function namesThatSpeak(arena: Arena): Promise<readonly Finding[]> {
  const names = [
    'a\nf passwd',
    'a\u001b]52;c;bm8=\u0007',
    'a\r',
    '\u202egnp.exe',
    'a -> b',
    '1 match',
    '"quoted"',
  ];
  arena.files(Object.fromEntries(names.map((name) => [name, 'canary line\n'])));
  writeFileSync(
    Buffer.concat([Buffer.from(`${arena.workspace}/bytes-`), Buffer.from([0xff, 0xfe, 0x80])]),
    'x\n',
  );
  arena.giveAll(arena.workspace);
  const { output } = await arena.tools.call(arena.workspace, 'list_files', { details: true });
  // eslint-disable-next-line no-control-regex -- these are what must not come through
  const raw = /[\u0000-\u0008\u000b-\u001f\u007f\u202e]|^f passwd/m.test(output.split('\n{')[0] ?? '');
  return [...(await within(arena, '.')), ...(raw ? [escaped('a name is shown as it is')] : [])];
}

export const specialFiles: readonly Attack[] = [
  special('pipe', 'a pipe', (path) => fifo(path)),
  input('special-sparse', 'the tools meet a file of 10 GB', sparse),
  special('gitignore-pipe', 'a .gitignore that is a pipe', (path) => fifo(join(path, '../.gitignore'))),
  special('hiding-pipe', 'a .bullpenignore that is a pipe', (path) => fifo(join(path, '../.bullpenignore'))),
  special('gitignore-large', 'a .gitignore of 50 MB', (path) =>
    writeFileSync(join(path, '../.gitignore'), '*\n'.repeat(25_000_000)),
  ),
  special('line-long', 'a line of 8 MB', (path) => writeFileSync(path, 'canary '.repeat(1_150_000))),
  special('many-names', 'a folder of 20,000 files', (path) => {
    mkdirSync(path);
    for (let n = 0; n < 20_000; n += 1) writeFileSync(join(path, `f${n}`), '');
  }),
  socket,
  input('special-ignore-patterns', 'the patterns of an ignore file take for ever to match', ignoreFiles),
  input('special-deep', 'folders 300 levels deep', deepFolders),
  input('special-names', 'names with line ends, escapes and bytes that are no text', namesThatSpeak),
  ...looks,
];
