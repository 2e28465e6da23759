/**
 * Runs lines for real, in a throw-away Bubblewrap sandbox without a network, and says what happened that no verdict named:
 * programs that ran (every program on PATH writes its name into a log first), and changes outside of the workspace.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandContext } from '../types.js';

export interface SandboxLine {
  readonly line: string;
  /** Names that its verdict lists. */
  readonly programs: ReadonlySet<string>;
}

export interface Violation {
  readonly line: string;
  readonly what: string;
}

/** Real programs; each runs behind a script of its name that notes it. */
const REAL = [
  ...[
    'ls',
    'cat',
    'head',
    'tail',
    'wc',
    'file',
    'stat',
    'du',
    'df',
    'basename',
    'dirname',
    'realpath',
    'readlink',
    'find',
    'mkdir',
  ],
  ...[
    'touch',
    'cp',
    'mv',
    'tee',
    'grep',
    'egrep',
    'fgrep',
    'sort',
    'uniq',
    'cut',
    'tr',
    'nl',
    'tac',
    'rev',
    'fold',
    'fmt',
    'expand',
  ],
  ...[
    'column',
    'paste',
    'join',
    'comm',
    'cmp',
    'diff',
    'md5sum',
    'sha1sum',
    'sha256sum',
    'sha512sum',
    'b2sum',
    'cksum',
    'base64',
  ],
  ...[
    'od',
    'hexdump',
    'xxd',
    'strings',
    'seq',
    'sed',
    'awk',
    'gawk',
    'mawk',
    'jq',
    'git',
    'date',
    'id',
    'uname',
    'whoami',
    'hostname',
  ],
  ...[
    'nproc',
    'uptime',
    'free',
    'ps',
    'sleep',
    'true',
    'false',
    'env',
    'timeout',
    'nice',
    'nohup',
    'stdbuf',
    'bash',
    'sh',
    'dash',
    'xargs',
  ],
  ...[
    'rm',
    'ln',
    'dd',
    'chmod',
    'install',
    'truncate',
    'split',
    'which',
    'tar',
    'gzip',
    'perl',
    'mktemp',
    'rmdir',
    'unlink',
    'ed',
    'more',
  ],
];

/** Programs that only note that they were called. */
const STAND_INS = [
  ...[
    'pwn',
    'node',
    'npm',
    'npx',
    'pnpm',
    'yarn',
    'bun',
    'tsc',
    'eslint',
    'prettier',
    'jest',
    'vitest',
    'mocha',
    'knip',
    'playwright',
  ],
  ...[
    'python',
    'python3',
    'pytest',
    'mypy',
    'ruff',
    'black',
    'flake8',
    'isort',
    'pip',
    'pip3',
    'go',
    'gofmt',
    'cargo',
    'rustc',
    'dotnet',
  ],
  ...[
    'make',
    'cmake',
    'ctest',
    'ninja',
    'mvn',
    'gradle',
    'docker',
    'docker-compose',
    'rg',
    'tree',
    'curl',
    'wget',
    'nc',
    'ssh',
    'sudo',
  ],
  ...[
    'vim',
    'vi',
    'less',
    'man',
    'pager',
    'editor',
    'gpg',
    'cc',
    'gcc',
    'ld',
    'watch',
    'parallel',
    'kill',
    'pkill',
    'zsh',
    'x',
    'evil',
  ],
];

/** Programs that are scripts around another one; a line may name them by their folder, past the stand-ins. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  egrep: ['grep'],
  fgrep: ['grep'],
  which: ['bash', 'sh'],
  npm: ['node'],
  npx: ['node'],
};

/** Links of the workspace and where they lead. */
const LINKS: Readonly<Record<string, string>> = {
  '/workspace/link': '/canary',
  '/workspace/sub/link2': '/canary',
  '/workspace/flink': '/canary/file',
  '/workspace/linkin': '/workspace/sub',
};

/** Lines after which the workspace is looked over; too many cost time, too few only blur the lines that follow. */
const MAY_WRITE = />|\b(cp|mv|mkdir|touch|tee|sed|sort|uniq|git)\b/;

const DRIVER = join(dirname(fileURLToPath(import.meta.url)), '../../test/sandbox-driver.sh');

/** Why the sandbox cannot be used here; null when it can. */
export function sandboxMissing(): string | null {
  const probe = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true'], { encoding: 'utf8' });
  if (probe.error !== undefined) return `bwrap: ${probe.error.message}`;
  return probe.status === 0 ? null : `bwrap: ${probe.stderr.trim()}`;
}

/** The facts about the sandbox's workspace, its links included. */
export function sandboxContext(): CommandContext {
  return {
    root: '/workspace',
    cwd: '/workspace',
    placeOf: (path) => {
      const resolved = follow(path);
      return resolved === '/workspace' || resolved.startsWith('/workspace/') ? 'inside' : 'outside';
    },
    hasLocalProgram: () => true,
  };
}

function follow(path: string): string {
  let at = '';
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') at = at.slice(0, Math.max(at.lastIndexOf('/'), 0));
    else at = LINKS[`${at}/${part}`] ?? `${at}/${part}`;
  }
  return at === '' ? '/' : at;
}

export interface Sandbox {
  /** Runs the lines one after the other, each in a fresh workspace if the one before it changed files. */
  run: (lines: readonly SandboxLine[]) => Promise<Violation[]>;
  close: () => Promise<void>;
}

/** Prepares programs and workspace. Close it in the end. */
export async function openSandbox(): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'command-policy-'));
  const bin = join(folder, 'bin');
  const out = join(folder, 'out');
  await mkdir(bin);
  await mkdir(out);
  await Promise.all(STAND_INS.map((name) => program(bin, name, '')));
  await Promise.all(REAL.map((name) => program(bin, name, `exec /usr/bin/${name} "$@"\n`)));
  await makeWorkspace(join(folder, 'template'));
  const covers = await coversOf(bin);
  return {
    run: async (lines) => {
      await writeFile(
        join(folder, 'lines'),
        lines.map(({ line }) => `${MAY_WRITE.test(line) ? 1 : 0}\0${line}\0`).join(''),
      );
      for (const name of ['exec', 'report']) await writeFile(join(out, name), '');
      await bubblewrap(folder, covers);
      const done = (await readFile(join(out, 'report'), 'utf8')).includes('done');
      if (!done) throw new Error('The sandbox stopped before the last line.');
      return violations(
        lines,
        await readFile(join(out, 'exec'), 'utf8'),
        await readFile(join(out, 'report'), 'utf8'),
      );
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

async function program(bin: string, name: string, then: string, mark = ''): Promise<void> {
  const path = join(bin, name);
  // Builtins only: nothing here may itself be looked up by PATH. The note is one write also under `stdbuf -o0`, which would mix it with
  // that of the next program of a pipe.
  const note = `printf -v note '${mark}%s\\n' "\${0##*/}"; printf %s "$note" >> /out/exec`;
  await writeFile(path, `#!/usr/bin/bash -p\n${note}\n${then}`);
  await chmod(path, 0o755);
}

/**
 * Mounts that put the stand-ins also where a line that names the whole path looks: a tool chain of this machine would write a cache
 * of its own, which says nothing about the line.
 */
async function coversOf(bin: string): Promise<string[]> {
  const places = (names: readonly string[]) =>
    Promise.all(names.map((name) => realpath(`/usr/bin/${name}`).catch(() => null)));
  const real = new Set(await places(REAL));
  const found = await places(STAND_INS);
  return STAND_INS.flatMap((name, at) => {
    const place = found[at];
    const isFree = place?.startsWith('/usr/') === true && !real.has(place);
    return isFree ? ['--ro-bind', join(bin, name), place] : [];
  });
}

async function makeWorkspace(folder: string): Promise<void> {
  const files: Readonly<Record<string, string>> = {
    'a.txt': 'a b\nx:y\n',
    'b.txt': 'b\n',
    'big.txt': 'row\n'.repeat(5_000),
    'data.json': '{"a":1}\n',
    'package.json': '{}\n',
    'src/a.ts': 'export {};\n',
    'src/b.ts': 'a\n',
    'sub/dir/x': 'x\n',
    'sub/x': 'x\n',
    'scripts/build.js': '\n',
    Makefile: 'all:\n',
    ' space': 's\n',
    '-exec': '',
    '-o': '',
    '--compress-program=pwn': '',
    '-e': '',
    '-i': '',
    'e pwn': '',
    '.env': 'K=1\n',
    ';pwn': '',
    'evil/x.js': '',
    'evil.sh': 'pwn\n',
    '$(pwn)': '',
    'x.txt': '1\n',
  };
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  for (const name of ['pwn', 'evil/pwn', 'evil/ls', 'evil/git', '4/ls', '0/ls']) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await program(folder, name, '', 'workspace/');
  }
  for (const [link, target] of Object.entries(LINKS))
    await symlink(target, join(folder, link.replace('/workspace/', '')));
  git(folder, 'init', '-q', '.');
  git(folder, 'add', 'a.txt', 'src');
  git(folder, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'start');
  git(folder, 'init', '-q', 'evilrepo');
  git(join(folder, 'evilrepo'), 'config', 'core.fsmonitor', 'pwn');
}

function git(cwd: string, ...args: string[]): void {
  const env = { PATH: '/usr/bin:/bin', HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' };
  const { status, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
}

async function bubblewrap(folder: string, covers: readonly string[]): Promise<void> {
  const args = [
    ...[
      '--unshare-all',
      '--die-with-parent',
      '--new-session',
      '--cap-drop',
      'ALL',
      '--clearenv',
      '--ro-bind',
      '/usr',
      '/usr',
      ...covers,
    ],
    ...[
      '--symlink',
      'usr/bin',
      '/bin',
      '--symlink',
      'usr/lib',
      '/lib',
      '--symlink',
      'usr/lib64',
      '/lib64',
      '--proc',
      '/proc',
      '--dev',
      '/dev',
    ],
    ...[
      '--ro-bind',
      '/etc/alternatives',
      '/etc/alternatives',
      '--tmpfs',
      '/tmp',
      '--tmpfs',
      '/canary',
      '--tmpfs',
      '/home/user',
      '--tmpfs',
      '/workspace',
    ],
    ...[
      '--ro-bind',
      join(folder, 'bin'),
      '/policy/bin',
      '--ro-bind',
      join(folder, 'template'),
      '/policy/template',
    ],
    ...[
      '--ro-bind',
      join(folder, 'lines'),
      '/policy/lines',
      '--ro-bind',
      DRIVER,
      '/policy/driver',
      '--bind',
      join(folder, 'out'),
      '/out',
    ],
    ...[
      '--setenv',
      'PATH',
      '/policy/bin',
      '--setenv',
      'HOME',
      '/home/user',
      '--setenv',
      'LANG',
      'C.UTF-8',
      '--chdir',
      '/',
    ],
    ...['/usr/bin/bash', '--noprofile', '--norc', '/policy/driver'],
  ];
  await new Promise<void>((resolve, reject) => {
    const child = spawn('bwrap', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`bwrap ended with ${String(code)}`));
    });
  });
}

function violations(lines: readonly SandboxLine[], log: string, report: string): Violation[] {
  const found: Violation[] = [];
  log
    .split(/^== /m)
    .slice(1)
    .forEach((section) => {
      const [number = '', ...ran] = section.trimEnd().split('\n');
      const entry = lines[Number(number)];
      if (entry === undefined) return;
      const known = new Set([...entry.programs].flatMap((name) => [name, ...(CALLS[name] ?? [])]));
      for (const name of new Set(ran)) {
        if (!known.has(name)) found.push({ line: entry.line, what: `ran ${name}` });
      }
    });
  for (const row of report.split('\n')) {
    const [what, number] = row.split(' ');
    if (what !== 'changed') continue;
    found.push({ line: lines[Number(number)]?.line ?? '', what: 'changed files outside of the workspace' });
  }
  return found;
}
