import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { treeListing } from '@bullpen/testing';
import { shownPath } from '../files/byte-path.js';
import { ShadowRepository } from '../objects/shadow-repository.js';
import { Machine, signal } from '../testing/machine.js';
import { conflictsOf, mergeInto, previewMerge, UnrelatedFolder, type Incoming } from './merge.js';
import type { Outcome } from './outcome.js';

/** The task's machine, and the user's folder, which began with the same files. */
let task: Machine;
let user: string;
let base: string;
beforeEach(() => {
  task = new Machine();
  user = realpathSync(mkdtempSync(path.join(tmpdir(), 'merge-user-')));
});
afterEach(() => {
  task.end();
  rmSync(user, { recursive: true, force: true });
});

const at = (name: string): string => path.join(user, name);
const read = (name: string): string => readFileSync(at(name), 'utf8');
function put(name: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
  chmodSync(at(name), mode);
}
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@x', ...args], {
    cwd: user,
    encoding: 'utf8',
  });
const lines = (change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 20 }, (_, index) => `${change[index + 1] ?? `line ${index + 1}`}\n`).join('');

/** Both sides begin with these files. */
async function begin(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    task.write(name, content);
    chmodSync(task.at(name), 0o644);
    put(name, content);
  }
  base = await task.take();
}
const incoming = async (): Promise<Incoming> => ({ base, theirs: await task.take() });
const alone = <T>(use: (shadow: ShadowRepository) => Promise<T>): Promise<T> =>
  ShadowRepository.alone({ folder: task.shadow }, signal, use);
async function merge(from?: Incoming): Promise<readonly Outcome[]> {
  const changes = from ?? (await incoming());
  return alone((shadow) => mergeInto(shadow, changes, { root: user, owner: null }, signal));
}
/** As `path: outcome`. */
const brief = (outcomes: readonly Outcome[]): string[] =>
  outcomes
    .map((each) => `${shownPath(each.path)}: ${each.kind === 'conflict' ? each.why : each.kind}`)
    .sort();
/** The contents of a conflict's versions. */
async function versions(outcome: Outcome | undefined): Promise<Record<string, string | null>> {
  if (outcome?.kind !== 'conflict') throw new Error('no conflict');
  const { ours, theirs, marked } = outcome;
  const read = async (id: string | null | undefined): Promise<string | null> =>
    id ? alone(async (shadow) => (await shadow.blob(id)).toString()) : null;
  return {
    base: await read(outcome.base?.blob),
    ours: await read(ours?.blob),
    theirs: await read(theirs?.blob),
    marked: await read(marked),
  };
}
/** What is in a folder, as it is on the disk, without what is git's. */
const treeOf = (folder: string): readonly string[] => treeListing(folder, (name) => name === '.git');
/** The paths alone. */
const namesIn = (folder: string): string[] =>
  treeOf(folder).map((line) => /"(.*)"/.exec(line)?.[1] ?? '').sort(); // prettier-ignore

describe('changes that touch nothing of the other side', () => {
  it('all arrive: new, changed and removed files, modes, links, binaries, empty folders, odd names', async () => {
    const binary = Buffer.from([0, 1, 2, 255]);
    await begin({
      a: lines(),
      gone: 'x',
      'deep/er/only': 'x',
      run: '#!/bin/sh\n',
      'p.png': binary,
      same: 'same',
    });
    symlinkSync('a', at('link'));
    symlinkSync('a', task.at('link'));
    base = await task.take();
    task.write('a', lines({ 5: 'five' }));
    task.remove('gone');
    task.remove('deep');
    chmodSync(task.at('run'), 0o755);
    task.write('p.png', Buffer.concat([binary, binary]));
    task.write('new/empty', '');
    task.write('-rf', 'dash');
    task.write('with\nnewline é', 'x');
    task.write('private', 'p', 0o600);
    task.remove('link');
    symlinkSync('nowhere', task.at('link'));
    mkdirSync(task.at('hollow'));
    task.remove('same');
    symlinkSync('/etc', task.at('same'));
    const outcomes = await merge();
    expect(conflictsOf(outcomes)).toEqual([]);
    expect(treeOf(user)).toEqual(treeOf(task.workspace));
    expect(brief(await merge()).every((each) => each.endsWith(': there'))).toBe(true);
  });

  it('join with the lines that the user has edited in the same file, committed, staged or not, and leave the index as it is', async () => {
    await begin({ f: lines(), g: lines(), h: lines() });
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'first');
    put('f', lines({ 9: 'mine' }));
    put('g', lines({ 9: 'mine' }));
    git('add', 'g');
    put('h', lines({ 9: 'mine' }));
    git('commit', '-qm', 'second', 'h');
    put('draft', 'untracked');
    const before = [
      git('diff', '--cached'),
      git('rev-parse', 'HEAD'),
      git('ls-files', '-s'),
      readFileSync(at('.git/index'), 'base64'),
      git('for-each-ref'),
    ];
    for (const name of ['f', 'g', 'h']) task.write(name, lines({ 3: 'theirs' }));
    expect(brief(await merge())).toEqual(['f: merged', 'g: merged', 'h: merged']);
    for (const name of ['f', 'g', 'h']) expect(read(name)).toBe(lines({ 3: 'theirs', 9: 'mine' }));
    expect([
      git('diff', '--cached'),
      git('rev-parse', 'HEAD'),
      git('ls-files', '-s'),
      readFileSync(at('.git/index'), 'base64'),
      git('for-each-ref'),
    ]).toEqual(before);
    expect([git('ls-files', '-u'), read('draft')]).toEqual(['', 'untracked']);
  });

  it('keep the user’s permission bits, and only say whether a file is a program', async () => {
    await begin({ a: 'a', b: 'b' });
    chmodSync(at('a'), 0o600);
    chmodSync(task.at('a'), 0o755);
    chmodSync(at('b'), 0o640);
    task.write('b', 'b2');
    await merge();
    expect([lstatSync(at('a')).mode & 0o777, lstatSync(at('b')).mode & 0o777]).toEqual([0o700, 0o640]);
  });
});

describe('what is there already', () => {
  it('is no conflict: the same edit, the same new file, the same removal, the same renaming', async () => {
    await begin({ f: lines(), old: lines({ 1: 'unlike' }), gone: 'g' });
    for (const write of [task.write.bind(task), put]) {
      write('f', lines({ 5: 'five' }));
      write('new', 'n');
    }
    renameSync(at('old'), at('now'));
    renameSync(task.at('old'), task.at('now'));
    rmSync(at('gone'));
    task.remove('gone');
    const before = treeOf(user);
    expect(brief(await merge())).toEqual(['f: there', 'gone: there', 'new: there', 'now: there']);
    expect(treeOf(user)).toEqual(before);
  });

  it('is everything, when the same changes are taken twice', async () => {
    await begin({ f: lines(), old: lines({ 1: 'unlike' }) });
    put('f', lines({ 9: 'mine' }));
    put('old', lines({ 1: 'unlike', 15: 'mine' }));
    task.write('f', lines({ 3: 'theirs' }));
    renameSync(task.at('old'), task.at('now'));
    const from = await incoming();
    expect(brief(await merge(from))).toEqual(['f: merged', 'now: merged']);
    const after = treeOf(user);
    expect(brief(await merge(from)).every((each) => /: (there|merged)$/.test(each))).toBe(true);
    expect(treeOf(user)).toEqual(after);
    expect(read('now')).toBe(lines({ 1: 'unlike', 15: 'mine' }));
  });
});

describe('a conflict', () => {
  it('leaves the file as it is here and has all versions, also with both marked', async () => {
    await begin({ f: lines() });
    put('f', lines({ 5: 'mine' }));
    task.write('f', lines({ 5: 'theirs' }));
    const outcomes = await merge();
    expect(brief(outcomes)).toEqual(['f: both_changed']);
    expect(read('f')).toBe(lines({ 5: 'mine' }));
    expect(await versions(outcomes[0])).toEqual({
      base: lines(),
      ours: lines({ 5: 'mine' }),
      theirs: lines({ 5: 'theirs' }),
      marked: lines({ 5: '<<<<<<< here\nmine\n||||||| before\nline 5\n=======\ntheirs\n>>>>>>> incoming' }),
    });
  });

  it('does not vanish by what .gitattributes or the repository’s settings say about merging, and no driver runs', async () => {
    const ran = path.join(task.folder, 'RAN');
    await begin({
      'q.txt': 'one\ntwo\nthree\n',
      'r.mk': 'one\ntwo\nthree\n',
      '.gitattributes': '*.mk merge=union\n*.txt merge=keep\n',
    });
    git('init', '-q');
    git('config', 'merge.keep.driver', `touch ${ran}`);
    for (const name of ['q.txt', 'r.mk']) {
      put(name, 'one\ntwo2\nthree\n');
      task.write(name, 'one\nthree\n');
    }
    expect(brief(await merge())).toEqual(['q.txt: both_changed', 'r.mk: both_changed']);
    expect([read('r.mk'), existsSync(ran)]).toEqual(['one\ntwo2\nthree\n', false]);
  });

  it('is a new file that exists here with other content, be it ignored or not', async () => {
    await begin({ f: '1', '.gitignore': '.env.local\n' });
    put('cfg.yml', 'mine');
    put('.env.local', 'mine too');
    task.write('cfg.yml', 'theirs');
    task.write('.env.local', 'theirs too');
    task.git('init', '-q');
    task.git('add', '-f', '.env.local');
    const outcomes = await merge();
    expect(brief(outcomes)).toEqual(['.env.local: both_added', 'cfg.yml: both_added']);
    expect([read('cfg.yml'), read('.env.local')]).toEqual(['mine', 'mine too']);
    expect(await versions(outcomes[0])).toMatchObject({ ours: 'mine too', theirs: 'theirs too' });
  });

  it('is named by real paths, when one side renames a folder or puts one in a file’s place, and no file is lost', async () => {
    await begin({ 'lib/a': lines(), x: 'x', y: 'y', z: 'z' });
    renameSync(at('lib'), at('core'));
    task.write('lib/new', 'n');
    task.write('lib/a', lines({ 2: 'two' }));
    rmSync(at('x'));
    put('x/inner', 'mine');
    task.write('x', 'theirs');
    put('y', 'mine');
    task.remove('y');
    task.write('y/inner', 'theirs');
    rmSync(at('z'));
    task.write('z', 'theirs');
    const outcomes = await merge();
    expect(brief(outcomes)).toEqual([
      'lib/a: gone_here',
      'lib/new: taken',
      'x: gone_here',
      'y/inner: in_the_way',
      'y: gone_there',
      'z: gone_here',
    ]);
    expect(namesIn(user)).toEqual(['core', 'core/a', 'lib', 'lib/new', 'x', 'x/inner', 'y']);
    expect(await versions(outcomes.find((each) => each.path === 'y'))).toMatchObject({
      ours: 'mine',
      theirs: null,
    });
  });

  it('is a binary, or a link, that both have changed', async () => {
    await begin({ 'p.png': Buffer.from([0, 1]) });
    symlinkSync('a', at('link'));
    symlinkSync('a', task.at('link'));
    base = await task.take();
    put('p.png', Buffer.from([0, 2]));
    task.write('p.png', Buffer.from([0, 3]));
    rmSync(at('link'));
    symlinkSync('b', at('link'));
    task.remove('link');
    symlinkSync('c', task.at('link'));
    const outcomes = await merge();
    expect(brief(outcomes)).toEqual(['link: both_changed', 'p.png: both_changed']);
    expect([readlinkSync(at('link')), readFileSync(at('p.png'))]).toEqual(['b', Buffer.from([0, 2])]);
    expect(await versions(outcomes.find((each) => each.path === 'link'))).toMatchObject({
      ours: 'b',
      theirs: 'c',
    });
  });
});

describe('nothing leads out of the folder', () => {
  it('no link that stands in the place of a file or a folder is followed', async () => {
    await begin({ 'd/f': '1', g: '1', h: '1' });
    const outside = mkdtempSync(path.join(tmpdir(), 'merge-outside-'));
    try {
      writeFileSync(path.join(outside, 'f'), '1');
      writeFileSync(path.join(outside, 't'), '1');
      rmSync(at('d'), { recursive: true });
      symlinkSync(outside, at('d'));
      rmSync(at('g'));
      symlinkSync(path.join(outside, 't'), at('g'));
      for (const name of ['d/f', 'g']) task.write(name, '2');
      task.write('d/new', '2');
      expect(brief(await merge())).toEqual(['d/f: in_the_way', 'd/new: in_the_way', 'g: both_changed']);
      expect([
        readdirSync(outside),
        readFileSync(path.join(outside, 'f'), 'utf8'),
        readFileSync(path.join(outside, 't'), 'utf8'),
      ]).toEqual([['f', 't'], '1', '1']);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });
});

describe('a renamed file', () => {
  it('keeps what the user has edited under its old name, and only the new one is left', async () => {
    await begin({ old: lines() });
    put('old', lines({ 15: 'mine' }));
    task.remove('old');
    task.write('sub/now', lines({ 2: 'theirs' }));
    expect(brief(await merge())).toEqual(['sub/now: merged']);
    expect(namesIn(user)).toEqual(['sub', 'sub/now']);
    expect(read('sub/now')).toBe(lines({ 2: 'theirs', 15: 'mine' }));
  });

  it('of which a crash has left both names loses the old one the next time', async () => {
    await begin({ old: lines(), keep: 'k' });
    put('old', lines({ 15: 'mine' }));
    renameSync(task.at('old'), task.at('now'));
    put('now', lines({ 15: 'mine' }));
    await merge();
    expect(namesIn(user)).toEqual(['keep', 'now']);
  });

  it('that meets another file of that name leaves both as they are', async () => {
    await begin({ old: lines() });
    put('now', 'something else');
    renameSync(task.at('old'), task.at('now'));
    expect(brief(await merge())).toEqual(['now: both_added']);
    expect([read('old'), read('now')]).toEqual([lines(), 'something else']);
  });
});

describe('a merge that was cut off', () => {
  it('is finished by the next one, whichever of its files were written', async () => {
    await begin({ a: lines(), b: lines(), gone: 'g', old: lines({ 1: 'unlike' }) });
    put('a', lines({ 15: 'mine' }));
    put('old', lines({ 1: 'unlike', 15: 'mine' }));
    task.write('a', lines({ 3: 'theirs' }));
    task.write('b', lines({ 3: 'theirs' }));
    task.remove('gone');
    task.write('deep/er/new', 'n');
    renameSync(task.at('old'), task.at('now'));
    const from = await incoming();
    const start = mkdtempSync(path.join(tmpdir(), 'merge-start-'));
    const whole = mkdtempSync(path.join(tmpdir(), 'merge-whole-'));
    try {
      cpSync(user, start, { recursive: true });
      await merge(from);
      cpSync(user, whole, { recursive: true });
      const wanted = treeOf(user);
      const half = `.bullpen-tmp-${from.base.slice(0, 12)}-${from.theirs.slice(0, 12)}`;
      // Of what a merge writes, these were written when it was killed; the old name of what is renamed goes last.
      const steps: ((folder: string) => void)[] = [
        ...['a', 'b', 'now'].map((name) => () => cpSync(path.join(whole, name), at(name))),
        () => rmSync(at('gone')),
        () => mkdirSync(at('deep/er'), { recursive: true }),
      ];
      for (let mask = 0; mask < 2 ** steps.length; mask += 5) {
        rmSync(user, { recursive: true });
        cpSync(start, user, { recursive: true });
        for (const [index, work] of steps.entries()) if (mask & (1 << index)) work(user);
        if ((mask & 1) === 0) writeFileSync(at(half), 'ha');
        expect(conflictsOf(await merge(from))).toEqual([]);
        expect([mask, treeOf(user)]).toEqual([mask, wanted]);
      }
    } finally {
      for (const folder of [start, whole]) rmSync(folder, { recursive: true });
    }
  });
});

describe('the right folder', () => {
  it('is asked for: one that is gone, or holds something else, is refused and stays as it is', async () => {
    await begin({ a: '1', b: '1' });
    task.write('a', '2');
    task.write('c', '2');
    const from = await incoming();
    for (const name of ['a', 'b']) rmSync(at(name));
    put('other', 'x');
    await expect(merge(from)).rejects.toBeInstanceOf(UnrelatedFolder);
    expect(readdirSync(user)).toEqual(['other']);
    rmSync(user, { recursive: true });
    await expect(merge(from)).rejects.toBeInstanceOf(UnrelatedFolder);
    expect(existsSync(user)).toBe(false);
  });

  it('is not touched by a preview, which says the same as the merge', async () => {
    await begin({ a: lines(), b: lines() });
    put('a', lines({ 1: 'mine' }));
    for (const name of ['a', 'b']) task.write(name, lines({ 1: 'theirs' }));
    const from = await incoming();
    const before = treeOf(user);
    const preview = await alone((shadow) => previewMerge(shadow, from, user, signal));
    expect(treeOf(user)).toEqual(before);
    expect(await merge(from)).toEqual(preview);
  });
});

it('takes the changes of five children, of which two have changed the same line', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  await begin(Object.fromEntries([...names, 'shared'].map((name) => [name, lines()])));
  put('a', lines({ 12: 'the parent since the spawn' }));
  git('init', '-q');
  git('add', '-A');
  const children: Incoming[] = [];
  for (const [index, name] of names.entries()) {
    const child = await task.moved(base);
    child.write(name, lines({ 3: `child ${name}` }));
    if (index < 2) child.write('shared', lines({ 7: `child ${name}` }));
    children.push({ base, theirs: await child.take() });
    await task.checkpoints.bring(children.at(-1)?.theirs ?? '', signal);
    child.end();
  }
  const outcomes: string[][] = [];
  for (const child of children) outcomes.push(brief(await merge(child)));
  expect(outcomes).toEqual([
    ['a: merged', 'shared: taken'],
    ['b: taken', 'shared: both_changed'],
    ['c: taken'],
    ['d: taken'],
    ['e: taken'],
  ]);
  expect(read('a')).toBe(lines({ 3: 'child a', 12: 'the parent since the spawn' }));
  for (const name of names.slice(1)) expect(read(name)).toBe(lines({ 3: `child ${name}` }));
  expect(read('shared')).toBe(lines({ 7: 'child a' }));
  expect(git('ls-files', '-u')).toBe('');
});
