/** Repositories of workspaces that are carried to other machines, against what git itself says of them there. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { bubblewrap } from '../sandbox/bubblewrap.js';
import { BoxBench, itInBox } from '../testing/box-bench.js';
import {
  lookOfRefs,
  packRepository,
  placeRepository,
  readRepository,
  unpackRepository,
  type CarriedRepository,
  type ReadRepository,
} from './carried-repository.js';

const signal = new AbortController().signal;
const PATH = '/usr/local/bin:/usr/bin:/bin';
const IDENTITY = 'Agent <agent@x>';
const START = 'git init -q -b trunk && git config user.name u && git config user.email u@x';
const ALL_REFS = `git for-each-ref --format='%(refname) %(subject)' && git symbolic-ref HEAD`;

describe('a repository that is carried', () => {
  let bench: BoxBench;

  beforeEach(async () => {
    bench = await BoxBench.make();
  });
  afterEach(() => bench.remove());

  const sandbox = () => bubblewrap({ stateFolder: bench.stateFolder });
  async function run(command: string): Promise<string> {
    const { exitCode, output } = await bench.run(sandbox(), command);
    if (exitCode !== 0) throw new Error(output);
    return output;
  }
  async function read(base: readonly string[] | null = [], hasOrigin = false): Promise<ReadRepository> {
    const { command: _command, cwd: _cwd, timeoutMs: _timeoutMs, ...box } = await bench.spec('');
    return readRepository(sandbox(), { box, base, hasOrigin }, signal);
  }
  async function carried(base: readonly string[] | null = [], hasOrigin = false): Promise<CarriedRepository> {
    const result = await read(base, hasOrigin);
    if (result.kind !== 'read') throw new Error(JSON.stringify(result));
    return unpackRepository(packRepository(result.repository));
  }
  /** In a folder of its own, without files. */
  function place(
    repository: CarriedRepository,
    gitFolder = path.join(bench.base, 'there'),
  ): Promise<boolean> {
    return placeRepository(repository, { gitFolder, path: PATH, owner: null, identity: IDENTITY }, signal);
  }
  function there(command: string): string {
    const env = {
      PATH,
      HOME: bench.base,
      GIT_DIR: path.join(bench.base, 'there'),
      GIT_WORK_TREE: bench.base,
    };
    return execFileSync('/bin/bash', ['-c', command], { env, cwd: bench.base, encoding: 'utf8' });
  }

  itInBox('has the same branches, tags, notes and stash, and the commits that they name', async () => {
    await run(`${START} && echo 1 > f && git add f && git commit -qm one && git tag -am v1 v1 && git notes add -m note && git branch side
      git switch -q side && echo 2 > f && git commit -qam two && echo 3 > f && git stash -q && git switch -q trunk`);
    expect(await place(await carried())).toBe(true);
    expect(there(ALL_REFS)).toBe(await run(ALL_REFS));
    expect(there('git fsck --strict 2>&1')).toBe('');
    expect(there('git config user.name')).toBe('Agent\n');
    expect(there('git show side:f stash:f')).toBe('2\n3\n');
    expect(there('git diff --cached --name-only')).toBe('');
  });

  itInBox('may have no commit yet, or a head that is on no branch', async () => {
    await run(START);
    expect(await place(await carried())).toBe(true);
    expect(there('git symbolic-ref HEAD')).toBe('refs/heads/trunk\n');
    await run(
      'echo 1 > f && git add f && git commit -qm one && git commit -qm two --allow-empty && git switch -q --detach HEAD~1',
    );
    expect(await place(await carried())).toBe(true);
    expect(there('git rev-parse HEAD')).toBe(await run('git rev-parse HEAD'));
    expect(there('git branch --show-current')).toBe('');
  });

  itInBox('stores what is new since the work began, and needs that from elsewhere', async () => {
    await run(`${START} && head -c 300000 /dev/urandom > big && git add big && git commit -qm base`);
    const first = await carried(null);
    execFileSync('cp', ['-a', bench.in('.git'), path.join(bench.base, 'there')]);
    execFileSync('cp', ['-a', bench.in('.git'), path.join(bench.base, 'moved')]);
    await run('echo 2 > f && git add f && git commit -qm two && git branch -D -q gone || true');
    const later = await carried(first.base);
    expect([first.pack.length, later.pack.length < 2_000]).toEqual([0, true]);
    expect(await place(later)).toBe(true);
    expect(there('git log --format=%s')).toBe('two\nbase\n');
    expect(await place(later, path.join(bench.base, 'empty'))).toBe(false);
  });

  itInBox('takes what its remote has from there', async () => {
    await run(`git init -q -b trunk up && cd up && git config user.name u && git config user.email u@x && head -c 300000 /dev/urandom > big &&
      git add big && git commit -qm base && cd .. && git clone -q up work && rm -rf .git && mv work/.git . && rm -rf work`);
    await run('git -c user.name=u -c user.email=u@x commit -qm mine --allow-empty');
    expect((await carried([], true)).pack.length).toBeLessThan(2_000);
  });

  itInBox('is none where there is no repository of its own, or only a part of one', async () => {
    expect(await read()).toEqual({ kind: 'none' });
    await run(
      'git init -q up && git -C up -c user.name=u -c user.email=u@x commit -qm a --allow-empty && git -C up -c user.name=u -c user.email=u@x commit -qm b --allow-empty',
    );
    await run('git clone -q --depth 1 "file://$PWD/up" work && mv work/.git .');
    expect(await read()).toEqual({ kind: 'none' });
  });

  itInBox('is not carried when it is too large or broken, and says so', async () => {
    await run(`${START} && head -c 27000000 /dev/urandom > big && git add big && git commit -qm one`);
    expect(await read()).toEqual({ kind: 'unreadable', why: 'its commits are too large' });
    await run('rm -rf .git/objects/??');
    expect(await read()).toMatchObject({ kind: 'unreadable' });
  });

  itInBox(
    'brings nothing along that the agent itself cannot read, and runs nothing outside of the box',
    async () => {
      const other = path.join(bench.base, 'other.git');
      execFileSync('git', ['init', '-q', '--bare', other]);
      const secret = execFileSync('git', ['--git-dir', other, 'hash-object', '-w', '--stdin'], {
        input: 'secret',
      });
      await run(
        `${START} && git commit -qm one --allow-empty && git config core.fsmonitor "touch ${bench.base}/ran; true"`,
      );
      writeFileSync(bench.in('.git/objects/info/alternates'), `${path.join(other, 'objects')}\n`);
      writeFileSync(bench.in('.git/refs/tags/theirs'), secret);
      const result = await read();
      const pack = result.kind === 'read' ? result.repository.pack : Buffer.alloc(0);
      const where = path.join(bench.base, 'looked.git');
      execFileSync('git', ['init', '-q', '--bare', where]);
      if (pack.length > 0) execFileSync('git', ['--git-dir', where, 'unpack-objects', '-q'], { input: pack });
      expect(() =>
        execFileSync('git', ['--git-dir', where, 'cat-file', '-e', String(secret).trim()]),
      ).toThrow();
      expect(existsSync(path.join(bench.base, 'ran'))).toBe(false);
    },
  );

  itInBox('is refused when its names or its pack are not what git makes', async () => {
    await run(`${START} && git commit -qm one --allow-empty`);
    const sound = await carried();
    const id = sound.refs[0]?.[1] ?? '';
    const folder = (name: string) => path.join(bench.base, name);
    expect(await place({ ...sound, pack: Buffer.from('no pack') }, folder('a'))).toBe(false);
    expect(await place({ ...sound, refs: [['refs/heads/../../config', id]] }, folder('b'))).toBe(false);
    expect(await place({ ...sound, refs: [['refs/heads/trunk', '0'.repeat(39) + '1']] }, folder('c'))).toBe(
      false,
    );
    expect(await place({ ...sound, head: 'refs/heads/../x' }, folder('d'))).toBe(false);
  });

  itInBox('looks different after each change of a branch, and the same after changes of files', async () => {
    expect(await lookOfRefs(bench.workspace)).toBe('');
    await run(`${START} && git commit -qm one --allow-empty`);
    const before = await lookOfRefs(bench.workspace);
    await run('echo x > f; git add f; git status');
    expect(await lookOfRefs(bench.workspace)).toBe(before);
    const looks = new Set([before]);
    for (const command of [
      'git commit -qm two',
      'git branch b',
      'git pack-refs --all',
      'git switch -q b',
      'git commit -q --amend -m x',
    ]) {
      await run(command);
      looks.add(await lookOfRefs(bench.workspace));
    }
    expect(looks.size).toBe(6);
    mkdirSync(bench.in('.git/refs/heads/many'));
    for (let n = 0; n < 2_100; n += 1) symlinkSync('/', bench.in(`.git/refs/heads/many/${n}`));
    expect(await lookOfRefs(bench.workspace)).toBe(null);
  });
});
