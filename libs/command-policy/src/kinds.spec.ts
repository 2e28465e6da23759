/** The policy in a real workspace: what its programs, patterns, links, secrets and protected files make of a line. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NO_RULES } from '@bullpen/contracts';
import { cpuMs } from '@bullpen/testing/cpu-time';
import { commandFacts } from '@bullpen/workspace';
import { judgeCommand } from './judge-command.js';
import { KINDS_TABLE, type FaultKind } from './testing/kinds-table.js';
import { plantWorkspace } from './testing/planted-workspace.js';
import { DEFAULT_COMMAND_POLICY, type CommandPolicySettings } from './types.js';

let base: string;
let root: string;
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'kinds-')));
  root = join(base, 'ws');
  await plantWorkspace(root, { secretsInGit: true, program: (path) => writeFile(path, '#!/bin/sh\n') });
});
afterAll(() => rm(base, { recursive: true, force: true }));

const facts = (isBoxed: boolean, searchPath = '/usr/bin:/bin') =>
  commandFacts(root, {
    ...{ cwd: '.', searchPath, files: NO_RULES.files },
    ...{ boxed: isBoxed, openedHosts: [] },
  });
const judge = (line: string, settings: Partial<CommandPolicySettings> = {}, searchPath?: string) =>
  judgeCommand(line, { ...DEFAULT_COMMAND_POLICY, ...settings }, facts(false, searchPath));
const boxed = (line: string, settings: Partial<CommandPolicySettings> = {}) =>
  judgeCommand(line, { ...DEFAULT_COMMAND_POLICY, ...settings }, facts(true));

describe('lines of each kind in a workspace full of traps', () => {
  it.each<FaultKind>(['program', 'words', 'links', 'secrets', 'protected', 'code'])(
    'get their verdicts: %s',
    (kind) => {
      const lines = KINDS_TABLE.filter((line) => line.kind === kind);
      expect(lines.length).toBeGreaterThanOrEqual(40);
      const verdicts = lines.flatMap(({ command, decision, boxed: inBox }) => [
        { command, wanted: decision, got: judge(command) },
        { command, wanted: inBox, got: boxed(command) },
      ]);
      const wrong = verdicts.filter(({ wanted, got }) => got.decision !== wanted);
      expect(wrong.map(({ command, wanted, got }) => [command, wanted, got.decision, got.rule])).toEqual([]);
    },
  );
});

describe('a program', () => {
  it.each([
    ['a folder of the workspace on PATH', 'evil:/usr/bin:/bin'],
    ['the folder itself on PATH', '.:/usr/bin:/bin'],
    ['an empty part of PATH', ':/usr/bin:/bin'],
    ['an empty part between others', '/usr/nothing::/usr/bin'],
  ])('is any program when %s has one of its name first', (_, searchPath) => {
    expect(judge('ls', {}, searchPath)).toMatchObject({ decision: 'ask', rule: 'program.unknown' });
  });

  it('is not what an allow entry means when the workspace has one of its name first', () => {
    const allow = ['ls', './ls', 'frob'];
    expect(judge('ls', { allow }, '.:/usr/bin:/bin').decision).toBe('ask');
    expect(judge('./ls', { allow }, '.:/usr/bin:/bin').decision).toBe('approve');
    expect(judge('frob x', { allow }).decision).toBe('approve');
  });

  it('is known when the workspace comes later on PATH, or has none of its name', () => {
    expect(judge('ls', {}, '/usr/bin:/bin:evil:.').decision).toBe('approve');
    expect(judge('wc -l a.txt', {}, 'evil:/usr/bin:/bin').decision).toBe('approve');
  });
});

describe('a command that rewrites files', () => {
  it.each([
    ...[
      'ruff format .',
      'ruff format',
      'ruff check --fix lib',
      'black .',
      'isort lib',
      'python3 -m black lib',
    ],
    ...[
      'prettier --write src',
      'prettier -w src',
      'eslint --fix src',
      './node_modules/.bin/prettier --write src',
    ],
    ...[
      'gofmt -w .',
      'go fmt ./...',
      'cargo fmt',
      'sed -i s/a/b/ a.txt',
      'sed -i s/a/b/ *.txt',
      'jest -u',
      'vitest -u',
    ],
    ...[
      'npm run lint -- --fix',
      'npm run format',
      'make format',
      './node_modules/.bin/nx format:write',
      'yarn lint --fix',
      'pnpm run prettier:write',
      'golangci-lint run --fix',
    ],
    ...[
      'uv run ruff format',
      'poetry run black lib',
      'tsc',
      'cp a.txt b.txt',
      'tee b.txt',
      'uniq a.txt b.txt',
    ],
    ...[
      'python3 -m compileall lib',
      'biome format --write src',
      'stylelint --fix src',
      'find . -name a.txt | xargs ruff format',
    ],
  ])('is asked without a box, and where nothing may be written: %s', (line) => {
    expect(judge(line).decision).toBe('ask');
    expect(boxed(line, { allowWrite: false }).decision).toBe('ask');
    expect(boxed(line).decision).toBe('approve');
  });
});

describe('a line of many patterns', () => {
  it.each([
    'cat */* ',
    'ls *; ',
    'cat * | ',
    'find . -type f -exec cat {} +; ',
    'grep -r x .; ',
    'git log -p; ',
    'cp -r src docs; ',
  ])('is judged within a second: %s', (piece) => {
    const line = piece.repeat(Math.floor(8_000 / piece.length));
    expect(cpuMs(() => expect(judge(line).decision).not.toBe('approve'))).toBeLessThan(1_000);
  });
});

describe('git', () => {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, stdio: 'pipe' });

  it.each([
    ['core.fsmonitor', 'git status'],
    ['core.pager', 'git log'],
    ['diff.external', 'git diff --stat'],
    ['filter.x.clean', 'git status'],
    ['include.path', 'git branch'],
    ['alias.st', 'git log --oneline'],
    ['remote.origin.promisor', 'git log --stat'],
  ])('is asked about when the settings of the repository have %s', (key, line) => {
    expect(judge(line).decision).toBe('approve');
    git('config', key, 'pwn');
    try {
      expect(judge(line)).toMatchObject({ decision: 'ask', rule: 'git.settings' });
      expect(boxed(line).decision).toBe('approve');
    } finally {
      git('config', '--unset', key);
    }
  });

  it('is asked about when the repository has a hook', async () => {
    const hook = join(root, '.git/hooks/post-index-change');
    await writeFile(hook, '#!/bin/sh\npwn\n', { mode: 0o755 });
    try {
      expect(judge('git status').rule).toBe('git.settings');
    } finally {
      await rm(hook);
    }
  });
});

describe('settings that may hold a password', () => {
  const remote = (address: string) =>
    execFileSync('git', ['config', 'remote.origin.url', address], { cwd: root, stdio: 'pipe' });
  const lines = [
    'git remote -v',
    'git config --get remote.origin.url',
    'cat .git/config',
    'grep url .git/config',
  ];

  it('are shown when they hold none', () => {
    remote('https://host.example/r.git');
    for (const line of lines) expect([line, judge(line).decision]).toEqual([line, 'approve']);
  });

  it('are asked about when they do', () => {
    remote('https://me:hunter2@host.example/r.git');
    for (const line of lines) expect([line, judge(line).rule]).toEqual([line, 'dangerous.credentials']);
  });
});
