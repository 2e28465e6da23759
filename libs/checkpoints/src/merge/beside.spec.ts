import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ShadowRepository } from '../objects/shadow-repository.js';
import { Machine, signal } from '../testing/machine.js';
import { putBeside } from './beside.js';
import { conflictsOf, mergeInto, previewMerge, UnrelatedFolder, type Incoming } from './merge.js';

let child: Machine;
let parent: string;
beforeEach(() => {
  child = new Machine();
  parent = realpathSync(mkdtempSync(path.join(tmpdir(), 'beside-')));
});
afterEach(() => {
  child.end();
  rmSync(parent, { recursive: true, force: true });
});

const put = (name: string, content: string): void => {
  mkdirSync(path.dirname(path.join(parent, name)), { recursive: true });
  writeFileSync(path.join(parent, name), content);
};
const read = (name: string): string => readFileSync(path.join(parent, name), 'utf8');
const alone = <T>(use: (shadow: ShadowRepository) => Promise<T>): Promise<T> =>
  ShadowRepository.alone({ folder: child.shadow }, signal, use);
const merge = (incoming: Incoming) =>
  alone((shadow) => mergeInto(shadow, incoming, { root: parent, owner: null }, signal));

describe('the version of the other side', () => {
  it('is put beside each file in conflict, once, and over nothing that stands there', async () => {
    for (const name of ['f', 'sub/g', 'h']) child.write(name, 'base\n');
    const base = await child.take();
    for (const name of ['f', 'sub/g', 'h']) child.write(name, 'child\n');
    child.write('added', 'child\n');
    const theirs = await child.take();
    for (const name of ['f', 'sub/g', 'added']) put(name, 'parent\n');
    put('f.theirs', 'somebody else\n');
    const beside = async () => {
      const conflicts = conflictsOf(await merge({ base, theirs }));
      return alone((shadow) => putBeside(shadow, conflicts, 'theirs', { root: parent, owner: null }, signal));
    };
    const names = [
      ['added', 'added.theirs'],
      ['h', 'h.theirs'],
      ['sub/g', 'sub/g.theirs'],
    ];
    expect([...(await beside())].sort()).toEqual(names);
    expect([...(await beside())].sort()).toEqual(names);
    expect(['f', 'f.theirs', 'sub/g', 'sub/g.theirs', 'h.theirs', 'added'].map(read)).toEqual(
      ['parent', 'somebody else', 'parent', 'child', 'child', 'parent'].map((text) => `${text}\n`),
    );
  });

  it('goes through no link, and nowhere for what has no place', async () => {
    child.write('d/f', 'base\n');
    const base = await child.take();
    child.write('d/f', 'child\n');
    const theirs = await child.take();
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'elsewhere-'));
    symlinkSync(elsewhere, path.join(parent, 'd'));
    const conflicts = conflictsOf(await merge({ base, theirs, isRelated: true }));
    expect(conflicts.map(({ why }) => why)).toEqual(['in_the_way']);
    const put = await alone((shadow) =>
      putBeside(shadow, conflicts, 't', { root: parent, owner: null }, signal),
    );
    expect(put.size).toBe(0);
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(elsewhere, { recursive: true });
  });
});

describe('a merge of some paths', () => {
  it('leaves all others as they are; of a rename of which only one end is wanted, it takes that end', async () => {
    for (const name of ['a', 'b', 'old']) child.write(name, `${name}\n`.repeat(20));
    const base = await child.take();
    child.write('a', 'child\n');
    child.write('b', 'child\n');
    renameSync(child.at('old'), child.at('new'));
    const theirs = await child.take();
    for (const name of ['a', 'b', 'old']) put(name, `${name}\n`.repeat(20));
    const only = (each: string) => ['a', 'new'].includes(each);
    const outcomes = await merge({ base, theirs, only });
    expect(outcomes.map(({ path: each, kind }) => `${kind} ${each}`).sort()).toEqual([
      'taken a',
      'taken new',
    ]);
    expect(readdirSync(parent).sort()).toEqual(['a', 'b', 'new', 'old']);
    expect(read('b')).toBe('b\n'.repeat(20));
  });

  it('needs none of the files to be left in a folder that is known to come from them', async () => {
    child.write('f', 'base\n');
    const base = await child.take();
    child.write('f', 'child\n');
    const theirs = await child.take();
    await expect(merge({ base, theirs })).rejects.toThrow(UnrelatedFolder);
    const related = { base, theirs, isRelated: true };
    const seen = await alone((shadow) => previewMerge(shadow, related, parent, signal));
    expect(conflictsOf(seen).map(({ why }) => why)).toEqual(['gone_here']);
  });
});
