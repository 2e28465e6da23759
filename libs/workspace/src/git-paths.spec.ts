import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { gitPaths } from './git-paths.js';

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'git-paths-')));
  root = path.join(base, 'ws');
  mkdirSync(path.join(root, 'src/deep'), { recursive: true });
  for (const name of ['a.txt', 'src/b.ts', 'src/deep/ü c.ts', '.env'])
    writeFileSync(path.join(root, name), name);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const git = (cwd: string, ...args: string[]): void => {
  const env = { PATH: process.env['PATH'], HOME: base, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, env, stdio: 'pipe' });
};
const ALL = ['.env', 'a.txt', 'src/b.ts', 'src/deep/ü c.ts'];

describe('the paths of which git keeps contents', () => {
  it.each(['2', '3', '4'])('are those of the index in version %s', (version) => {
    git(root, 'init', '-q');
    git(root, 'add', '-A', '-f');
    // Only a mark of this kind needs the third version.
    if (version === '3') {
      writeFileSync(path.join(root, 'later'), '');
      git(root, 'add', '--intent-to-add', 'later');
    } else git(root, 'update-index', '--index-version', version);
    expect(gitPaths(root)).toEqual(version === '3' ? ['.env', 'a.txt', 'later', ...ALL.slice(2)] : ALL);
  });

  it('are known by their ids of either length', () => {
    git(root, 'init', '-q', '--object-format=sha256');
    git(root, 'add', '-A', '-f');
    git(root, 'commit', '-qm', 'x');
    expect(gitPaths(root)).toEqual(ALL);
  });

  it('hold the names of files that were removed later', () => {
    git(root, 'init', '-q');
    git(root, 'add', '-A', '-f');
    git(root, 'commit', '-qm', 'x');
    git(root, 'rm', '-q', '--cached', '.env');
    git(root, 'commit', '-qm', 'y');
    expect(gitPaths(root)).toEqual(expect.arrayContaining(['a.txt', '**/.env']));
  });

  it('are found from a work tree of a repository elsewhere', () => {
    git(root, 'init', '-q');
    git(root, 'add', '-A', '-f');
    git(root, 'commit', '-qm', 'x');
    git(root, 'worktree', 'add', '-q', '../other');
    expect(gitPaths(path.join(base, 'other'))).toEqual(ALL);
  });

  it('are none without a repository, and not known in that of a folder above or in one that is broken', () => {
    expect(gitPaths(root)).toEqual([]);
    git(base, 'init', '-q');
    expect(gitPaths(root)).toBeNull();
    git(root, 'init', '-q');
    expect(gitPaths(root)).toEqual([]);
    writeFileSync(path.join(root, '.git/index'), 'DIRCxxxx');
    expect(gitPaths(root)).toBeNull();
  });
});
