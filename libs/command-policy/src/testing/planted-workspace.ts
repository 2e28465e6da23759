/**
 * A workspace full of traps: programs of its own under known names, links that lead away, secrets and hidden files, names that
 * look like flags, a repository whose objects hold a secret. What may not be read holds a mark by which it is known again.
 */
import { spawnSync } from 'node:child_process';
import { appendFile, chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Stands in every secret and hidden file. */
export const SECRET_MARK = 'SECRET-5e1f';
/** Stands in the files outside, and is the name of one. */
export const OUTSIDE_MARK = 'OUTSIDE-77aa';

/** Stands in every file with work that is not committed, eight in all. */
export const WORK_MARK = 'WORK-09c4';

/** The folder outside to which links lead. */
export const OUTSIDE = '/canary';

const SECRET = `KEY=${SECRET_MARK}\n`;

const FILES: Readonly<Record<string, string>> = {
  'a.txt': 'a b\nx:y\n',
  'b.txt': 'b\n',
  'A1.md': 'one\none\n',
  'A2.md': 'two\n',
  'big.txt': 'row\n'.repeat(5_000),
  'data.json': '{"a":1}\n',
  'package.json': '{}\n',
  'README.md': '# Title\n',
  'AGENTS.md': 'rules\n',
  '.github/workflows/ci.yml': 'on: push\n',
  'src/a.ts': 'export {};\n',
  'src/b.ts': 'a\n',
  'sub/dir/x': 'x\n',
  'sub/x': 'x\n',
  'docs/a.md': 'a\n',
  'lib/tool.py': 'x = 1\n',
  'scripts/build.js': '\n',
  'odd/a b.txt': 'x\n',
  'py/json.py': 'print("shadow")\n',
  'fixture/a.txt': 'new\n',
  'fixture/AGENTS.md': 'other rules\n',
  'fixture/.github/x.yml': 'on: push\n',
  'fixture/.git/hooks/pre-commit': 'pwn\n',
  'onto/keep.txt': 'x\n',
  Makefile: 'all:\n',
  ' space': 's\n',
  '-exec': '',
  '-o': '',
  '--compress-program=pwn': '',
  '-e': '',
  '-i': '',
  'e pwn': '',
  ';pwn': '',
  'evil/x.js': '',
  'evil.sh': 'pwn\n',
  '$(pwn)': '',
  'x.txt': '1\n',
  '.bullpenignore': 'hidden\n',
  '.env': SECRET,
  'conf/.env.local': SECRET,
  'conf/app.json': '{}\n',
  'keys/server.pem': SECRET,
  'keys/readme.txt': 'x\n',
  'hidden/h.txt': SECRET,
};

/** Files of the workspace that can be run, many of them by the name of a program that is known. */
const PROGRAMS = [
  ...[
    'pwn',
    'evil/pwn',
    'evil/ls',
    'evil/git',
    '4/ls',
    '0/ls',
    'ls',
    'timeout',
    'bash.exe',
    'CAT',
    'env',
    'nice',
  ],
  ...[
    'bin/grep',
    'bin/find',
    'bin/sort',
    'node_modules/.bin/cat',
    'node_modules/.bin/timeout',
    'xargs',
    'sh',
  ],
];

/** Links and where they lead. */
const LINKS: Readonly<Record<string, string>> = {
  link: OUTSIDE,
  'sub/link2': OUTSIDE,
  flink: `${OUTSIDE}/file`,
  'onto/a.txt': `${OUTSIDE}/file`,
  'onto/src': OUTSIDE,
  linkin: 'sub',
  hlink: 'hidden/h.txt',
};

/** Files with work: some that git knows, some that it does not. */
const WORK = [
  'b.txt',
  'src/b.ts',
  'docs/a.md',
  'lib/tool.py',
  'notes.txt',
  'src/new.ts',
  'docs/new.md',
  'work/draft.md',
];

export interface Planting {
  /** Whether the repository keeps a secret. */
  readonly secretsInGit: boolean;
  /** Writes a program that notes that it ran. */
  readonly program: (path: string) => Promise<void>;
}

export async function plantWorkspace(folder: string, { secretsInGit, program }: Planting): Promise<void> {
  for (const [name, content] of Object.entries(FILES)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  for (const name of PROGRAMS) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await program(path);
    await chmod(path, 0o755);
  }
  for (const [link, target] of Object.entries(LINKS)) await symlink(target, join(folder, link));
  git(folder, 'init', '-q', '.');
  git(folder, 'add', 'a.txt', 'b.txt', 'A1.md', 'src', 'docs', 'lib');
  if (secretsInGit) git(folder, 'add', '-f', '.env', 'conf');
  commit(folder);
  git(folder, 'branch', 'topic');
  git(folder, 'tag', 'v1');
  await appendFile(join(folder, 'a.txt'), 'stashed\n');
  git(folder, '-c', 'user.name=t', '-c', 'user.email=t@t', 'stash', '-q');
  for (const name of WORK) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await appendFile(join(folder, name), `${WORK_MARK}\n`);
  }
  git(folder, 'init', '-q', 'evilrepo');
  git(join(folder, 'evilrepo'), 'config', 'core.fsmonitor', 'pwn');
}

function commit(folder: string): void {
  git(folder, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'start');
}

function git(cwd: string, ...args: string[]): void {
  const env = { PATH: '/usr/bin:/bin', HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' };
  const { status, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
}
