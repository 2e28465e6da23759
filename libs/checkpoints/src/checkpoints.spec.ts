import { afterEach, describe, expect, it } from '@jest/globals';
import { treeListing } from '@bullpen/testing';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { QuotaPacks } from './packs/quota-packs.js';
import { Machine, signal } from './testing/machine.js';

const machines: Machine[] = [];
function machine(...args: ConstructorParameters<typeof Machine>): Machine {
  const made = new Machine(...args);
  machines.push(made);
  return made;
}
async function moved(from: Machine, commit: string, ...rest: []): Promise<Machine> {
  const made = await from.moved(commit, ...rest);
  machines.push(made);
  return made;
}
const withoutGit = (name: string): boolean => path.basename(name) === '.git';

afterEach(() => {
  for (const made of machines.splice(0)) made.end();
});

describe('what a checkpoint holds', () => {
  it('is the same on another machine, in paths, bits, bytes and links', async () => {
    const here = machine();
    here.write('plain.txt', 'text\n');
    here.write('key.cfg', 'secret', 0o600);
    here.write('run', '#!/bin/sh\n', 0o711);
    here.write('shared', 'g', 0o664);
    here.write('closed/inside', 'x');
    chmodSync(here.at('closed'), 0o700);
    mkdirSync(here.at('empty/deeper'), { recursive: true });
    chmodSync(here.at('empty/deeper'), 0o750);
    here.write('-leading', 'dash');
    here.write('new\nline "quoted" \\ tab\t', 'odd');
    here.write('caf\u00e9', 'NFC');
    here.write('cafe\u0301', 'NFD');
    writeFileSync(Buffer.concat([Buffer.from(`${here.workspace}/latin-`), Buffer.from([0xe9])]), 'bytes');
    here.write('crlf.ps1', 'a\r\nb\nc\r\n');
    here.write('binary', Buffer.from([0, 1, 255, 10, 13, 0]));
    here.write('nothing', '');
    symlinkSync('nowhere', here.at('dangling'));
    symlinkSync('/etc/passwd', here.at('absolute'));
    symlinkSync('../../outside', here.at('outward'));
    const commit = await here.take();
    const there = await moved(here, commit);
    expect(treeListing(there.workspace)).toEqual(treeListing(here.workspace));
  });

  it('is the newest state each time that a workspace moves', async () => {
    let at = machine();
    at.write('a', '1');
    for (const change of [
      () => at.write('a', '2'),
      () => at.write('b', 'new'),
      () => at.remove('b'),
      () => at.write('a', '3'),
    ]) {
      at = await moved(at, await at.take());
      change();
    }
    at = await moved(at, await at.take());
    expect([readFileSync(at.at('a'), 'utf8'), treeListing(at.workspace).length]).toEqual(['3', 1]);
  });

  it('takes no bytes for others, whatever the attributes of the workspace say, and runs none of their filters', async () => {
    const here = machine();
    here.git('init', '-q');
    here.git('config', 'filter.evil.clean', `touch ${here.folder}/RAN; cat`);
    here.git('config', 'filter.evil.smudge', `touch ${here.folder}/RAN; cat`);
    here.git('config', 'core.fsmonitor', `touch ${here.folder}/RAN`);
    here.write(
      '.gitattributes',
      '*.ps1 text eol=crlf\nv.txt ident\n*.evil filter=evil\n*.u working-tree-encoding=UTF-16\n',
    );
    here.write('x.ps1', 'lf\nonly\n');
    here.write('y.ps1', 'crlf\r\nand lf\n');
    here.write('v.txt', '$Id: mine $\n');
    here.write('f.evil', 'content');
    here.write('w.u', 'plain');
    const there = await moved(here, await here.take());
    expect(treeListing(there.workspace)).toEqual(treeListing(here.workspace, withoutGit));
    expect(
      treeListing(here.folder, (name) => name.includes('/')).filter((line) => line.includes('RAN')),
    ).toEqual([]);
  });

  it('follows the rules of every ignore file, and those from outside of the tree, and says what it left out', async () => {
    const here = machine({ coverage: { excludes: ['.localstate/\n'] } });
    here.git('init', '-q');
    here.write('.git/info/exclude', 'notes/\n');
    here.write('.gitignore', '*.log\nbuild/\n');
    here.write('sub/.gitignore', '!keep.log\n*.tmp\n');
    for (const name of ['a.log', 'build/out', 'sub/x.tmp', 'notes/token', '.localstate/big'])
      here.write(name, 'no');
    for (const name of ['sub/keep.log', 'src/a.ts']) here.write(name, 'yes');
    const result = await here.taken();
    const ignored = result.leftOut.find(({ reason }) => reason === 'ignored');
    expect([...(ignored?.paths ?? [])].sort()).toEqual([
      '.localstate/',
      'a.log',
      'build/',
      'notes/',
      'sub/x.tmp',
    ]);
    const there = await moved(here, result.commit);
    expect(treeListing(there.workspace).filter((line) => line.startsWith('f'))).toHaveLength(4);
  });

  it('has tracked files that an ignore rule names, and edits that flags of the index hide', async () => {
    const here = machine();
    here.git('init', '-q');
    here.write('.gitignore', '*.json\n');
    for (const name of ['data/sample.json', 'a.ini', 'b.ini']) here.write(name, 'before');
    here.write('data/other.json', 'ignored');
    here.git('add', '-f', 'data/sample.json', 'a.ini', 'b.ini', '.gitignore');
    here.git('commit', '-qm', 'x');
    here.git('update-index', '--assume-unchanged', 'a.ini');
    here.git('update-index', '--skip-worktree', 'b.ini');
    await here.take();
    for (const name of ['data/sample.json', 'a.ini', 'b.ini']) here.write(name, 'edited');
    const flags = here.git('ls-files', '-v');
    const there = await moved(here, await here.take());
    for (const name of ['data/sample.json', 'a.ini', 'b.ini'])
      expect(readFileSync(there.at(name), 'utf8')).toBe('edited');
    expect(treeListing(there.workspace).some((line) => line.includes('other.json'))).toBe(false);
    expect(here.git('ls-files', '-v')).toBe(flags);
  });

  it('has the files of repositories in the workspace, with a commit or without one, and names them', async () => {
    const here = machine();
    here.write('f', '1');
    await here.take();
    here.write('f', '2');
    here.write('sub/x', 'in a repository without commits');
    here.git('init', '-q', 'sub');
    const result = await here.taken();
    expect(result.leftOut).toEqual([{ reason: 'repository', count: 1, paths: ['sub/'] }]);
    here.write('f', '3');
    const there = await moved(here, result.commit);
    expect(readFileSync(there.at('f'), 'utf8')).toBe('2');
    expect(readFileSync(there.at('sub/x'), 'utf8')).toBe('in a repository without commits');
  });

  it('takes a sparse repository for what is on the disk', async () => {
    const here = machine();
    here.git('init', '-q');
    for (const name of ['in/a', 'out/b', 'top']) here.write(name, 'old');
    here.git('add', '-A');
    here.git('commit', '-qm', 'x');
    here.git('sparse-checkout', 'set', '--cone', 'in');
    here.write('out/new', 'untracked outside of the cone');
    here.write('in/a', 'edited');
    const there = await moved(here, await here.take());
    expect(treeListing(there.workspace)).toEqual(treeListing(here.workspace, withoutGit));
  });

  it('has nothing that is hidden from agents, and nothing that is too large, and names both', async () => {
    const hides = (names: readonly string[]) => names.includes('.env') || names[0] === 'vault';
    const here = machine({ coverage: { hides: () => hides, maxFileBytes: 1_000 } });
    for (const name of ['.env', 'app/.env', 'vault/key']) here.write(name, 'TOKEN');
    here.write('big.bin', Buffer.alloc(1_001));
    here.write('app/code', 'x');
    const result = await here.taken();
    expect(result.leftOut).toEqual(
      expect.arrayContaining([
        { reason: 'hidden', count: 3, paths: expect.arrayContaining(['.env', 'app/.env', 'vault/']) },
        { reason: 'oversize', count: 1, paths: ['big.bin'] },
      ]),
    );
    const there = await moved(here, result.commit);
    expect(treeListing(there.workspace).filter((line) => line.startsWith('f'))).toHaveLength(1);
  });

  it('sees a change that kept size and time of a file', async () => {
    const here = machine();
    here.write('f', 'one');
    const long = new Date('2020-01-01');
    utimesSync(here.at('f'), long, long);
    await here.take();
    here.write('f', 'two');
    utimesSync(here.at('f'), long, long);
    expect((await here.taken()).diffstat?.files).toBe(1);
  });

  it('goes from file to folder and back', async () => {
    const here = machine();
    here.write('a', 'file');
    here.write('b/c', 'in a folder');
    const first = await here.take();
    here.remove('a');
    here.remove('b');
    here.write('a/x/y', 'now a folder');
    here.write('b', 'now a file');
    const second = await here.take();
    const listing = treeListing(here.workspace);
    expect(treeListing((await moved(here, second)).workspace)).toEqual(listing);
    expect(treeListing((await moved(here, first)).workspace)).not.toEqual(listing);
  });

  it('needs no identity, no settings and no work tree of git', async () => {
    const here = machine();
    here.git('init', '-q');
    here.git('config', 'user.useConfigOnly', 'true');
    here.write('draft.md', 'draft');
    const there = await moved(here, await here.take());
    expect(readFileSync(there.at('draft.md'), 'utf8')).toBe('draft');
  });

  it('leaves no trace in the repository of the user', async () => {
    const here = machine();
    here.git('init', '-q');
    here.write('f', '1');
    here.git('add', '-A');
    here.git('commit', '-qm', 'x');
    const before = treeListing(here.at('.git'));
    await here.take();
    here.write('f', '2');
    await here.take();
    expect(treeListing(here.at('.git'))).toEqual(before);
  });
});

describe('taking a checkpoint', () => {
  it('says that nothing changed, also when files were only touched', async () => {
    const here = machine();
    here.write('f', 'same');
    const first = await here.take();
    const now = new Date();
    utimesSync(here.at('f'), now, now);
    expect(await here.tryTake()).toMatchObject({ kind: 'unchanged', commit: first });
  });

  it('counts what changed since its parent', async () => {
    const here = machine();
    here.write('a.txt', 'one\ntwo\nthree\n');
    here.write('old-name.txt', 'a file with some lines\nthat is renamed\nand nothing else\n');
    here.write('gone', 'x\n');
    here.write('image', Buffer.from([0, 1, 2]));
    await here.take();
    here.write('a.txt', 'one\n2\nthree\nfour\n');
    renameSync(here.at('old-name.txt'), here.at('new-name.txt'));
    here.remove('gone');
    here.write('image', Buffer.from([0, 1, 3]));
    const { diffstat } = await here.taken();
    expect(diffstat).toEqual({
      files: 4,
      insertions: 2,
      deletions: 2,
      list: [
        { path: 'a.txt', status: 'changed', insertions: 2, deletions: 1 },
        { path: 'gone', status: 'deleted', insertions: 0, deletions: 1 },
        { path: 'image', status: 'changed', insertions: null, deletions: null },
        { path: 'new-name.txt', status: 'renamed', from: 'old-name.txt', insertions: 0, deletions: 0 },
      ],
    });
  });

  it('stores only the change', async () => {
    const here = machine();
    for (let at = 0; at < 300; at += 1) here.write(`d${at % 10}/f${at}`, `${at} ${'words '.repeat(50)}\n`);
    await here.take();
    here.write('d3/f3', `3 ${'words '.repeat(50)}changed\n`);
    const { pack } = await here.taken();
    expect(pack.bytes).toBeLessThan(2_000);
  });

  it('degrades, and says why, without a git program, over its time, over its size, with something else in its place, and with rules that nobody can read', async () => {
    const here = machine();
    here.write('f', 'x');
    const degraded = async (options: ConstructorParameters<typeof Machine>[0]) => {
      const other = machine({ ...options, workspace: here.workspace });
      const result = await other.tryTake();
      return result.kind === 'degraded' ? result.reason : result.kind;
    };
    expect(await degraded({ shadow: { folder: `${here.folder}/s1`, program: '/no/such/git' } })).toBe(
      'no_git',
    );
    expect(await degraded({ budget: { ms: 0, bytes: 1_000 } })).toBe('over_time');
    expect(await degraded({ budget: { ms: 60_000, bytes: 0 } })).toBe('over_size');
    writeFileSync(`${here.folder}/taken`, 'something else');
    expect(await degraded({ shadow: { folder: `${here.folder}/taken` } })).toBe('file_system');
    here.write('archive/f', 'x');
    here.write('.gitignore', `archive/\n${'# long\n'.repeat(60_000)}`);
    expect(await degraded({})).toBe('unknown_rules');
  });

  it('degrades over the quota of its line or of all, and keeps what is stored', async () => {
    const here = machine();
    here.write('f', '1');
    const first = await here.take();
    here.write('f', '2');
    const [{ bytes } = { bytes: 0 }] = await here.packs.lines();
    const reason = async (quota: { line: number | null; all: number | null }) => {
      const packs = new QuotaPacks(here.packs, quota);
      const other = machine({ workspace: here.workspace, shadow: { folder: here.shadow }, packs });
      other.last = here.last;
      const result = await other.tryTake();
      return result.kind === 'degraded' ? result.reason : result.kind;
    };
    expect(await reason({ line: bytes, all: null })).toBe('over_quota');
    expect(await reason({ line: null, all: bytes })).toBe('over_quota');
    expect(await reason({ line: bytes + 1, all: bytes + 1 })).toBe('taken');
    expect(readFileSync((await moved(here, first)).at('f'), 'utf8')).toBe('1');
  });

  it('never takes an older state for this one when a step of git fails', async () => {
    const here = machine();
    here.write('f', '1');
    await here.take();
    here.write('f', '2');
    chmodSync(here.shadow, 0o700);
    const broken = machine({
      workspace: here.workspace,
      shadow: { folder: here.shadow, program: path.join(here.folder, 'half-git') },
      packs: here.packs,
    });
    writeFileSync(
      path.join(here.folder, 'half-git'),
      '#!/bin/sh\ncase "$*" in *fast-import*) cat >/dev/null; git rev-parse refs/capture; exit 1;; esac\nexec git "$@"\n',
      { mode: 0o755 },
    );
    broken.last = here.last;
    expect(await broken.tryTake()).toMatchObject({ kind: 'degraded', reason: 'git_failed' });
    expect(readFileSync((await moved(here, await here.take())).at('f'), 'utf8')).toBe('2');
  });

  it('loses none of many that are taken at once', async () => {
    const here = machine();
    here.write('f', 'x');
    const results = await Promise.all(Array.from({ length: 8 }, () => here.tryTake()));
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['taken']));
  });

  it('clears what killed programs have left in the store, and touches no lock of the user', async () => {
    const here = machine();
    here.git('init', '-q');
    here.write('.git/index.lock', 'of the user');
    here.write('f', '1');
    await here.take();
    const leftovers = [
      'index.lock',
      'objects/pack/tmp_pack_abc',
      'objects/tmp_obj_abc',
      'refs/checkpoints/x.lock',
      'known-files.new',
      'fast_import_crash_123',
    ];
    for (const name of leftovers) writeFileSync(path.join(here.shadow, name), 'left');
    here.write('f', '2');
    expect((await here.tryTake()).kind).toBe('taken');
    const store = treeListing(here.shadow);
    for (const name of leftovers) expect(store.some((line) => line.includes(name))).toBe(false);
    expect(readFileSync(here.at('.git/index.lock'), 'utf8')).toBe('of the user');
  });

  it('goes on after its store is lost, on what the packs have', async () => {
    const here = machine();
    for (let at = 0; at < 100; at += 1) here.write(`f${at}`, `${at} ${'words '.repeat(50)}`);
    await here.take();
    const there = machine({ workspace: here.workspace, packs: here.packs });
    there.last = here.last;
    here.write('f1', 'changed');
    const { pack, diffstat } = await there.taken();
    expect([pack.base, diffstat?.files]).toEqual([here.last, 1]);
  });
});

describe('objects that are missing', () => {
  it('are found out when a workspace is rebuilt, and not when an agent looks for its file', async () => {
    const here = machine();
    here.write('f', '1');
    const first = await here.take();
    here.write('f', '2');
    const second = await here.take();
    await here.packs.remove('line', [first]);
    await expect(moved(here, second)).rejects.toThrow(/not all stored/);
    await expect(moved(here, 'f'.repeat(40))).rejects.toThrow(/not all stored/);
  });

  it('are stored again with the next checkpoint', async () => {
    const here = machine();
    here.write('f', '1');
    const first = await here.take();
    await here.packs.remove('line', [first]);
    const there = await moved(here, await here.take());
    expect(readFileSync(there.at('f'), 'utf8')).toBe('1');
  });
});

describe('compaction', () => {
  it('keeps the checkpoints that are named in one pack, and no others', async () => {
    const here = machine();
    const commits: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      here.write('f', `state ${at}`);
      commits.push(await here.take());
    }
    const [oldest, second, , , newest] = commits as [string, string, string, string, string];
    await here.checkpoints.compact([oldest, newest], signal);
    expect(await here.packs.list('line')).toMatchObject([{ holds: [oldest, newest], base: null }]);
    expect(readFileSync((await moved(here, oldest)).at('f'), 'utf8')).toBe('state 0');
    expect(readFileSync((await moved(here, newest)).at('f'), 'utf8')).toBe('state 4');
    await expect(moved(here, second)).rejects.toThrow(/not all stored/);
  });

  it('leaves what was stored after it was decided what to keep', async () => {
    const here = machine();
    here.write('f', '1');
    const first = await here.take();
    const among = await here.packs.list('line');
    here.write('f', '2');
    const meanwhile = await here.take();
    await here.checkpoints.compact([first], signal, among);
    expect(await here.packs.list('line')).toHaveLength(2);
    expect(readFileSync((await moved(here, meanwhile)).at('f'), 'utf8')).toBe('2');
  });

  it('lets the next checkpoint build on what it kept', async () => {
    const here = machine();
    here.write('f', '1');
    await here.take();
    here.write('f', '2');
    const kept = await here.take();
    await here.checkpoints.compact([kept], signal);
    here.write('f', '3');
    const { commit, pack } = await here.taken();
    expect(pack.base).toBe(kept);
    expect(readFileSync((await moved(here, commit)).at('f'), 'utf8')).toBe('3');
  });
});

describe('the difference between two states', () => {
  it('is told against now without storing anything', async () => {
    const here = machine();
    here.write('a', '1\n');
    const first = await here.take();
    here.write('b', '2\n');
    const diff = await here.checkpoints.diff(first, 'now', signal);
    expect(diff.list).toEqual([{ path: 'b', status: 'added', insertions: 1, deletions: 0 }]);
    expect(await here.packs.list('line')).toHaveLength(1);
    expect((await here.taken()).diffstat).toEqual(diff);
  });

  it('is a patch that git applies elsewhere to the same bytes', async () => {
    const here = machine();
    here.write('cr.txt', 'a\r\nb\r\n \nlast without end');
    here.write('latin', Buffer.from('caf\xe9\n\f\n', 'latin1'));
    here.write('image', Buffer.from([0, 1, 2]));
    here.write('script', 'x\n', 0o644);
    symlinkSync('a', here.at('link'));
    const first = await here.take();
    const target = await moved(here, first);
    here.write('cr.txt', 'a\r\nB\r\n \nlast without end');
    here.write('latin', Buffer.from('caf\xe9!\n\f\n', 'latin1'));
    here.write('image', Buffer.from([0, 9, 2]));
    chmodSync(here.at('script'), 0o755);
    here.write('empty', '');
    here.remove('link');
    symlinkSync('b', here.at('link'));
    const pieces: Buffer[] = [];
    for await (const piece of here.checkpoints.patch(first, 'now', signal)) pieces.push(piece);
    target.write('../p.diff', Buffer.concat(pieces));
    target.git('apply', path.join(target.folder, 'p.diff'));
    expect(treeListing(target.workspace)).toEqual(treeListing(here.workspace));
  });

  it('shows a change of bits as one', async () => {
    const here = machine();
    here.write('run', 'x', 0o644);
    const first = await here.take();
    chmodSync(here.at('run'), 0o755);
    expect((await here.checkpoints.diff(first, 'now', signal)).list).toMatchObject([
      { path: 'run', status: 'mode' },
    ]);
  });
});
