/**
 * Work on files that dies before each of its changes to the file system, and is begun again by the next one. Slow, because each time it is done twice, with all
 * the starts of git that it needs.
 */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { treeListing } from '@bullpen/testing';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FolderPackStore } from './packs/folder-pack-store.js';
import { dieAtEach } from './testing/deaths.js';
import { Machine, signal } from './testing/machine.js';

let packs: string;
let results: string;
let here: Machine;
beforeEach(() => {
  packs = mkdtempSync(path.join(tmpdir(), 'packs-'));
  results = mkdtempSync(path.join(tmpdir(), 'results-'));
  here = new Machine({ packs: new FolderPackStore(packs) });
});
afterEach(() => {
  here.end();
  for (const folder of [packs, results]) rmSync(folder, { recursive: true, force: true });
});

const lines = (change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 9 }, (_, at) => `${change[at + 1] ?? `line ${at + 1}`}\n`).join('');
const resultAt = (name: string): readonly string[] => treeListing(path.join(results, name));

it('taking the changes of a subtask is finished by the next try: nothing is lost, and nothing there twice', async () => {
  for (const name of ['merged', 'clash']) here.write(name, lines());
  here.write('old/name', 'o\n'.repeat(30));
  for (const name of ['folder/deep', 'becomes']) here.write(name, name);
  const base = await here.take();
  const child = await here.moved(base);
  child.write('merged', lines({ 2: 'child' }));
  child.write('clash', lines({ 5: 'child' }));
  for (const name of ['folder', 'becomes']) child.remove(name);
  child.write('becomes/a/folder', 'x');
  symlinkSync('merged', child.at('link'));
  renameSync(child.at('old/name'), child.at('new'));
  child.remove('old');
  const theirs = await child.take();
  const expected = treeListing(child.workspace).filter((line) => !/"(clash|merged)"/.test(line));
  child.end();
  here.write('merged', lines({ 8: 'parent' }));
  here.write('clash', lines({ 5: 'parent' }));
  await here.checkpoints.bring(theirs, signal);
  const start = path.join(here.folder, 'start');
  cpSync(here.workspace, start, { recursive: true });
  const work = `
    await product.ShadowRepository.alone({ folder: input.shadow }, signal, async (opened) => {
      const target = { root: input.root, owner: null };
      const outcomes = await product.mergeInto(opened, { ...input.incoming, isRelated: true }, target, signal);
      await product.putBeside(opened, product.conflictsOf(outcomes), 'theirs-child', target, signal);
    });`;
  const { shadow, workspace: folder } = here;
  const input = { shadow, incoming: { base, theirs }, root: folder };
  const deaths = await dieAtEach({ work, input, start, folder, results, every: 3 });
  // The last one, that lived.
  const wanted = treeListing(folder);
  expect(wanted).toEqual(expect.arrayContaining([...expected]));
  expect(wanted).toHaveLength(expected.length + 3);
  expect(readFileSync(here.at('merged'), 'utf8')).toBe(lines({ 2: 'child', 8: 'parent' }));
  expect(readFileSync(here.at('clash'), 'utf8')).toBe(lines({ 5: 'parent' }));
  expect(readFileSync(here.at('clash.theirs-child'), 'utf8')).toBe(lines({ 5: 'child' }));
  expect(deaths).toBeGreaterThan(10);
  for (let at = 0; at < deaths; at += 1) expect([at, resultAt(`${at}`)]).toEqual([at, wanted]);
});

it('a copy of a workspace is there whole or not at all', async () => {
  for (const name of ['a', 'b/c', 'b/d/e']) here.write(name, name);
  mkdirSync(here.at('empty'));
  symlinkSync('a', here.at('link'));
  const commit = await here.take();
  const wanted = treeListing(here.workspace);
  const folder = path.join(here.folder, 'copies', 'child');
  const work = `
    fs.rmSync(input.into, { recursive: true, force: true });
    const store = new product.FolderPackStore(input.packs);
    const options = { shadow: { folder: input.shadow }, workspace: input.into, line: 'line', packs: store };
    await new product.Checkpoints({ ...options, coverage: {}, owner: null }).rebuild(input.commit, input.into, signal);`;
  const input = { packs, commit, into: folder, shadow: path.join(here.folder, 'shadow-of-child') };
  const deaths = await dieAtEach({ work, input, start: null, folder, results });
  expect(deaths).toBeGreaterThan(20);
  for (let at = 0; at < deaths; at += 1) {
    expect([at, resultAt(`${at}`)]).toEqual([at, wanted]);
    if (existsSync(path.join(results, `${at}-dead`))) expect(resultAt(`${at}-dead`)).toEqual(wanted);
  }
});
