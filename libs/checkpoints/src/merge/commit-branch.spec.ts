import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ShadowRepository } from '../objects/shadow-repository.js';
import { Machine, signal } from '../testing/machine.js';
import { commitBranch, type BranchRequest, type BranchResult } from './commit-branch.js';

let task: Machine;
let user: string;
let base: string;
beforeEach(async () => {
  task = new Machine();
  user = realpathSync(mkdtempSync(path.join(tmpdir(), 'branch-user-')));
  git('init', '-q', '-b', 'trunk');
  for (const [name, text] of Object.entries({
    f: lines(),
    old: lines({ 1: 'unlike' }),
    gone: 'g',
    'sub/s': 's',
  })) {
    task.write(name, text, 0o644);
    put(name, text);
  }
  git('add', '-A');
  git('commit', '-qm', 'first');
  base = await task.take();
});
afterEach(() => {
  task.end();
  rmSync(user, { recursive: true, force: true });
});

function put(name: string, content: string): void {
  mkdirSync(path.dirname(path.join(user, name)), { recursive: true });
  writeFileSync(path.join(user, name), content);
}
function git(...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@x', ...args], {
    cwd: user,
    encoding: 'utf8',
  });
}
function lines(change: Readonly<Record<number, string>> = {}): string {
  return Array.from({ length: 20 }, (_, index) => `${change[index + 1] ?? `line ${index + 1}`}\n`).join('');
}
async function commit(more: Partial<BranchRequest> = {}): Promise<BranchResult> {
  const request = {
    base,
    theirs: await task.take(),
    folder: user,
    name: 'task/x',
    message: 'What the task did\n',
    author: { name: 'U', email: 'u@x' },
    ...more,
  };
  return ShadowRepository.alone({ folder: task.shadow }, signal, (shadow) =>
    commitBranch(shadow, request, signal),
  );
}
/** All that must stay as it is. */
const around = (): unknown => [
  ...[
    git('status', '--porcelain'),
    git('diff'),
    git('diff', '--cached'),
    git('symbolic-ref', 'HEAD'),
    git('rev-parse', 'trunk'),
  ],
  ...[readFileSync(path.join(user, '.git/index'), 'base64'), git('stash', 'list')],
];

describe('a new branch', () => {
  it('has the changes on top of the newest commit; files, index, HEAD and other branches stay as they are', async () => {
    put('f', lines({ 15: 'mine, committed' }));
    git('commit', '-qam', 'second');
    put('f', lines({ 15: 'mine, committed', 3: 'not committed' }));
    put('staged', 's');
    git('add', 'staged');
    put('untracked', 'u');
    task.write('f', lines({ 3: 'theirs' }));
    task.write('new', 'n', 0o755);
    task.remove('gone');
    renameSync(task.at('old'), task.at('now'));
    symlinkSync('f', task.at('link'));
    const before = around();
    const result = await commit();
    expect(result).toMatchObject({ kind: 'committed', commit: git('rev-parse', 'task/x').trim() });
    expect(around()).toEqual(before);
    expect(git('log', '--format=%an %ae %s', 'task/x').split('\n')).toEqual([
      'U u@x What the task did',
      'u u@x second',
      'u u@x first',
      '',
    ]);
    expect(
      git('diff', '--raw', '--abbrev=4', '-M', 'trunk', 'task/x')
        .replace(/ [\da-f]{4} [\da-f]{4} /g, ' ')
        .trim()
        .split('\n'),
    ).toEqual([
      ':100644 100644 M\tf',
      ':100644 000000 D\tgone',
      ':000000 120000 A\tlink',
      ':000000 100755 A\tnew',
      ':100644 100644 R100\told\tnow',
    ]);
    expect(git('show', 'task/x:f')).toBe(lines({ 3: 'theirs', 15: 'mine, committed' }));
    expect(git('fsck', '--full', '--strict')).toBe('');
  });

  it('is not made when one of that name is there, or the name is none, and nothing is moved', async () => {
    task.write('f', lines({ 3: 'theirs' }));
    git('branch', 'task/x');
    const refs = git('for-each-ref');
    expect(await commit()).toEqual({ kind: 'refused', why: 'branch_exists' });
    expect(await commit({ name: 'task/x/y' })).toEqual({ kind: 'refused', why: 'branch_exists' });
    for (const name of ['-f', 'a..b', 'a b', '', 'HEAD', 'x.lock', '@{-1}'])
      expect([name, await commit({ name })]).toEqual([name, { kind: 'refused', why: 'bad_name' }]);
    expect(git('for-each-ref')).toBe(refs);
  });

  it('is not made over a conflict, which is named', async () => {
    put('f', lines({ 3: 'mine' }));
    git('commit', '-qam', 'second');
    task.write('f', lines({ 3: 'theirs' }));
    const result = await commit();
    expect(result).toMatchObject({
      kind: 'conflicts',
      outcomes: [{ path: 'f', kind: 'conflict', why: 'both_changed' }],
    });
    expect(git('branch', '--list', 'task/*')).toBe('');
  });

  it('runs nothing that the repository names', async () => {
    const ran = path.join(task.folder, 'RAN');
    for (const hook of ['post-commit', 'reference-transaction', 'post-index-change']) {
      mkdirSync(path.join(user, '.git/hooks'), { recursive: true });
      writeFileSync(path.join(user, '.git/hooks', hook), `#!/bin/sh\ntouch ${ran}\n`);
      chmodSync(path.join(user, '.git/hooks', hook), 0o755);
    }
    put('.gitattributes', '* filter=x merge=x\n');
    task.write('f', lines({ 3: 'theirs' }));
    for (const [name, value] of [
      ['core.fsmonitor', `touch ${ran}`],
      ['filter.x.clean', `touch ${ran}`],
      ['merge.x.driver', `touch ${ran}`],
      ['commit.gpgSign', 'true'],
      ['gpg.program', `touch ${ran}`],
    ] as const)
      git('config', name, value);
    rmSync(ran, { force: true });
    expect((await commit()).kind).toBe('committed');
    expect(existsSync(ran)).toBe(false);
  });

  it('is made from a folder in the repository, from a linked work tree, and in one without commits', async () => {
    task.write('f', lines({ 3: 'theirs' }));
    mkdirSync(path.join(user, 'inner'));
    for (const name of ['f', 'old', 'gone', 'sub']) git('mv', name, `inner/${name}`);
    git('commit', '-qam', 'moved');
    expect((await commit({ folder: path.join(user, 'inner') })).kind).toBe('committed');
    expect(git('show', 'task/x:inner/f')).toBe(lines({ 3: 'theirs' }));
    git('worktree', 'add', '-q', '--detach', path.join(task.folder, 'linked'), 'HEAD');
    expect((await commit({ folder: path.join(task.folder, 'linked/inner'), name: 'y' })).kind).toBe(
      'committed',
    );
    const empty = path.join(task.folder, 'empty');
    execFileSync('git', ['init', '-q', empty]);
    expect(await commit({ folder: task.workspace })).toEqual({ kind: 'refused', why: 'no_repository' });
    await expect(commit({ folder: empty })).rejects.toThrow(/none of the files/);
  });
});
