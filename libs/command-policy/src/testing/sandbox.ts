/**
 * Runs lines for real, in a throw-away Bubblewrap sandbox without a network, and says what happened that no verdict named:
 * programs that ran (every program on PATH writes its name into a log first), changes anywhere, contents that were read outside or
 * are secret; of lines for the box, whether the work survived.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NO_RULES } from '@bullpen/contracts';
import { commandFacts } from '@bullpen/workspace';
import type { CommandContext } from '../types.js';
import { OUTSIDE, OUTSIDE_MARK, plantWorkspace, SECRET_MARK, WORK_MARK } from './planted-workspace.js';

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
    ...[
      'dir',
      'zcat',
      'unzip',
      'pgrep',
      'tty',
      'arch',
      'groups',
      'base32',
      'sha224sum',
      'sha384sum',
      'lscpu',
      'python3',
      'xz',
    ],
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
  zcat: ['gzip', 'sh', 'bash'],
};

const DRIVER = join(dirname(fileURLToPath(import.meta.url)), '../../test/sandbox-driver.sh');

/** Why the sandbox cannot be used here; null when it can. */
export function sandboxMissing(): string | null {
  const probe = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true'], { encoding: 'utf8' });
  if (probe.error !== undefined) return `bwrap: ${probe.error.message}`;
  return probe.status === 0 ? null : `bwrap: ${probe.stderr.trim()}`;
}

export interface Sandbox {
  /** The workspace's folder, the same inside and outside. */
  readonly root: string;
  /** The facts about the workspace as each line finds it. */
  readonly context: (boxed: boolean) => CommandContext;
  /**
   * Runs the lines one after the other, each in a fresh workspace if the one before it changed files. `reads`: nothing may change;
   * `boxed`: the work must be there after it, whatever else has happened.
   */
  run: (lines: readonly SandboxLine[], mode: 'reads' | 'boxed') => Promise<Violation[]>;
  close: () => Promise<void>;
}

/** Prepares programs and workspace. Close it in the end. */
export async function openSandbox({ secretsInGit = false } = {}): Promise<Sandbox> {
  // Not in the folder for temporary files: what lies there is no program of the system.
  const folder = await mkdtemp(join(homedir(), '.command-policy-'));
  const places: Places = {
    bin: join(folder, 'bin'),
    out: join(folder, 'out'),
    root: join(folder, 'workspace'),
    folder,
  };
  await mkdir(places.bin);
  await mkdir(places.out);
  await Promise.all(STAND_INS.map((name) => program(join(places.bin, name), '')));
  await Promise.all(REAL.map((name) => program(join(places.bin, name), `exec /usr/bin/${name} "$@"\n`)));
  await plantWorkspace(places.root, { secretsInGit, program: (path) => program(path, '', 'workspace/') });
  const covers = await coversOf(places.bin);
  const read = (name: string): Promise<string> => readFile(join(places.out, name), 'utf8');
  return {
    root: places.root,
    context: (boxed) =>
      commandFacts(places.root, {
        ...{ cwd: '.', searchPath: places.bin, files: NO_RULES.files },
        ...{ boxed, openedHosts: [] },
      }),
    run: async (lines, mode) => {
      await writeFile(join(folder, 'lines'), lines.map(({ line }) => `${line}\0`).join(''));
      for (const name of ['exec', 'report']) await writeFile(join(places.out, name), '');
      await writeFile(
        join(folder, 'marks'),
        [mode, places.root, OUTSIDE_MARK, SECRET_MARK, WORK_MARK].map((each) => `${each}\n`).join(''),
      );
      await bubblewrap(places, covers);
      const report = await read('report');
      if (!report.includes('done')) throw new Error('The sandbox stopped before the last line.');
      return violations(lines, mode === 'boxed' ? '' : await read('exec'), report);
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

interface Places {
  readonly folder: string;
  readonly bin: string;
  readonly out: string;
  readonly root: string;
}

async function program(path: string, then: string, mark = ''): Promise<void> {
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

async function bubblewrap({ folder, bin, out, root }: Places, covers: readonly string[]): Promise<void> {
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
      OUTSIDE,
      '--tmpfs',
      '/home/user',
      '--tmpfs',
      root,
    ],
    ...['--ro-bind', bin, bin, '--ro-bind', root, '/policy/template'],
    ...[
      '--ro-bind',
      join(folder, 'lines'),
      '/policy/lines',
      '--ro-bind',
      join(folder, 'marks'),
      '/policy/marks',
      '--ro-bind',
      DRIVER,
      '/policy/driver',
      '--bind',
      out,
      '/out',
    ],
    ...[
      '--setenv',
      'PATH',
      bin,
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

/** What the driver reports. */
const EFFECTS: Readonly<Record<string, string>> = {
  changed: 'changed files outside of the workspace',
  read: 'showed what lies outside, is secret or is hidden',
  wrote: 'changed files of the workspace',
  lost: 'lost work',
};

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
    const [what = '', number] = row.split(' ');
    const effect = EFFECTS[what];
    if (effect !== undefined) found.push({ line: lines[Number(number)]?.line ?? '', what: effect });
  }
  return found;
}
