import { afterEach, describe, expect, it } from '@jest/globals';
import { treeListing } from '@bullpen/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FolderPackStore } from '../packs/folder-pack-store.js';
import { Machine, signal } from '../testing/machine.js';
import type { RestoreRequest } from './restoring.js';

const machines: Machine[] = [];
function machine(...args: ConstructorParameters<typeof Machine>): Machine {
  const made = new Machine(...args);
  machines.push(made);
  return made;
}
afterEach(() => {
  for (const made of machines.splice(0)) made.end();
});

const text = (at: Machine, name: string): string => readFileSync(at.at(name), 'utf8');
const numbered = (lines: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 10 }, (_, at) => `${lines[at + 1] ?? `line ${at + 1}`}\n`).join('');

/** A turn of the task: a checkpoint before it, its work, a checkpoint after it. */
async function step(at: Machine, work: () => void): Promise<{ before: string; after: string }> {
  const before = await at.take();
  work();
  return { before, after: await at.take() };
}

async function restore(at: Machine, request: Omit<RestoreRequest, 'parent'>) {
  const result = await at.checkpoints.restore({ ...request, parent: at.last }, signal);
  if ('kind' in result) throw new Error(result.message);
  at.last = result.safety.commit;
  return result;
}

describe('a restore of everything', () => {
  it('makes the workspace what it was, whatever became of it', async () => {
    const here = machine();
    here.write('a', 'file');
    here.write('b/c', 'in a folder');
    here.write('conf', 'content');
    here.write('key', 'k', 0o600);
    mkdirSync(here.at('empty'));
    here.write('bits/f', 'x');
    chmodSync(here.at('bits'), 0o750);
    const target = await here.take();
    const before = treeListing(here.workspace);
    for (const name of ['a', 'b', 'conf', 'empty', 'bits']) here.remove(name);
    here.write('a/x/y', 'now a folder');
    here.write('b', 'now a file');
    symlinkSync('../outside', here.at('conf'));
    writeFileSync(path.join(here.folder, 'outside'), 'not of the workspace');
    here.write('bits/f', 'x');
    here.write('new/deep/file', 'new');
    chmodSync(here.at('key'), 0o644);
    const changed = treeListing(here.workspace);
    const { safety } = await restore(here, { target, steps: 'everything' });
    expect(treeListing(here.workspace)).toEqual(before);
    expect(readFileSync(path.join(here.folder, 'outside'), 'utf8')).toBe('not of the workspace');
    await restore(here, { target: safety.commit, steps: 'everything' });
    expect(treeListing(here.workspace)).toEqual(changed);
  });

  it('never goes through a link that took the place of a folder', async () => {
    const here = machine();
    here.write('conf/t', 'inside');
    const target = await here.take();
    const outside = path.join(here.folder, 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 't'), 'outside');
    here.remove('conf');
    symlinkSync('../outside', here.at('conf'));
    const linked = await here.take();
    await restore(here, { target, steps: 'everything' });
    expect(text(here, 'conf/t')).toBe('inside');
    await restore(here, { target: linked, steps: 'everything' });
    expect(readFileSync(path.join(outside, 't'), 'utf8')).toBe('outside');
    expect(text(here, 'conf/t')).toBe('outside');
  });

  it('removes nothing that no checkpoint covers, nor the folder around it', async () => {
    const here = machine();
    here.write('.gitignore', 'cache/\n*.secret\n');
    const target = await here.take();
    here.write('made/by/task', 'x');
    here.write('made/by/cache/kept', 'ignored');
    here.write('a.secret', 'ignored');
    await here.take();
    await restore(here, { target, steps: 'everything' });
    expect(existsSync(here.at('made/by/task'))).toBe(false);
    expect(text(here, 'made/by/cache/kept')).toBe('ignored');
    expect(text(here, 'a.secret')).toBe('ignored');
  });

  it('removes nothing that the rules of its target ignore: it may have been there all the time', async () => {
    const here = machine();
    here.write('.gitignore', '*.tmp\n/archive/\n');
    for (const name of ['a.tmp', 'archive/old/file']) here.write(name, 'there before');
    const target = await here.take();
    here.write('.gitignore', '');
    here.write('new', 'by the task');
    await here.take();
    const result = await restore(here, { target, steps: 'everything' });
    expect(result.changes.map(({ path: changed }) => changed).sort()).toEqual(['.gitignore', 'new']);
    for (const name of ['a.tmp', 'archive/old/file']) expect(text(here, name)).toBe('there before');
  });

  it('leaves branches, index and what is staged of the user as they are', async () => {
    const here = machine();
    here.git('init', '-q');
    here.write('f', numbered());
    here.git('add', '-A');
    here.git('commit', '-qm', 'x');
    here.write('f', numbered({ 1: 'A' }));
    here.git('add', 'f');
    here.write('f', numbered({ 1: 'A', 5: 'B' }));
    const own = await step(here, () => here.write('f', numbered({ 1: 'A', 5: 'B', 9: 'C' })));
    const repository = treeListing(here.at('.git'));
    await restore(here, { target: own.before, steps: [own] });
    expect(treeListing(here.at('.git'))).toEqual(repository);
    expect(text(here, 'f')).toBe(numbered({ 1: 'A', 5: 'B' }));
    expect(here.git('diff', '--cached')).toContain('+A');
    expect(here.git('diff', '--cached')).not.toContain('+B');
  });

  it('gives what it makes to the owner of the workspace', async () => {
    if (process.getuid?.() !== 0) return;
    const owner = { uid: 65_534, gid: 65_534 };
    const here = machine({ owner });
    here.write('d/f', 'x', 0o640);
    const target = await here.take();
    const there = await here.moved(target);
    machines.push(there);
    for (const name of ['', 'd', 'd/f']) expect(statSync(there.at(name)).uid).toBe(owner.uid);
    here.remove('d');
    await restore(here, { target, steps: 'everything' });
    for (const name of ['d', 'd/f']) expect(statSync(here.at(name)).gid).toBe(owner.gid);
    chownSync(here.folder, 0, 0);
  });
});

describe("a restore of the task's own steps", () => {
  it('leaves what has no lines as it is, when the user changed it, too, and names it', async () => {
    const here = machine();
    here.write('p.png', Buffer.from([0, 1]));
    const target = await here.take();
    const own = await step(here, () => here.write('p.png', Buffer.from([0, 2])));
    here.write('p.png', Buffer.from([0, 3]));
    const { conflicts } = await restore(here, { target, steps: [own] });
    expect(conflicts).toEqual(['p.png']);
    expect(readFileSync(here.at('p.png'))).toEqual(Buffer.from([0, 3]));
  });

  it('leaves what the user changed by hand in between, and names it', async () => {
    const here = machine();
    here.write('api/s.go', 'before');
    here.write('web/a.ts', 'before');
    const target = await here.take();
    here.write('api/s.go', 'by hand');
    const own = await step(here, () => here.write('web/a.ts', 'by the task'));
    const request = { target, steps: [own], parent: here.last };
    const preview = await here.checkpoints.previewRestore(request, signal);
    expect(preview).toEqual({
      changes: [{ path: 'web/a.ts', action: 'write' }],
      conflicts: [],
      notOurs: [{ path: 'api/s.go', action: 'write' }],
    });
    expect(text(here, 'web/a.ts')).toBe('by the task');
    expect(await restore(here, request)).toMatchObject(preview);
    expect([text(here, 'api/s.go'), text(here, 'web/a.ts')]).toEqual(['by hand', 'before']);
  });

  it('does nothing for a step that changed nothing', async () => {
    const here = machine();
    here.write('f', '1');
    await step(here, () => here.write('f', '2'));
    const talk = await step(here, () => undefined);
    here.write('f', 'by hand');
    const result = await restore(here, { target: talk.before, steps: [talk] });
    expect(result.changes).toEqual([]);
    expect(text(here, 'f')).toBe('by hand');
  });

  it('keeps the work of another task in the same folder, also in the same file', async () => {
    const here = machine();
    here.write('s.txt', numbered());
    const a = await step(here, () => {
      here.write('s.txt', numbered({ 1: 'of A' }));
      here.write('a', 'of A');
    });
    await step(here, () => {
      here.write('s.txt', numbered({ 1: 'of A', 9: 'of B' }));
      here.write('b', 'of B');
    });
    await restore(here, { target: a.before, steps: [a] });
    expect(text(here, 's.txt')).toBe(numbered({ 9: 'of B' }));
    expect([existsSync(here.at('a')), text(here, 'b')]).toEqual([false, 'of B']);
  });

  it('leaves a file in which both changed the same line, and one that cannot be merged', async () => {
    const here = machine();
    here.write('f', numbered());
    here.write('image', Buffer.from([0, 1]));
    const own = await step(here, () => {
      here.write('f', numbered({ 5: 'task' }));
      here.write('image', Buffer.from([0, 2]));
    });
    here.write('f', numbered({ 5: 'user' }));
    here.write('image', Buffer.from([0, 3]));
    const result = await restore(here, { target: own.before, steps: [own] });
    expect([result.conflicts, result.changes]).toEqual([['f', 'image'], []]);
    expect(text(here, 'f')).toBe(numbered({ 5: 'user' }));
  });

  it('takes several steps back, the last one first, with what the user did between them left', async () => {
    const here = machine();
    here.write('f', numbered());
    const one = await step(here, () => here.write('f', numbered({ 1: 'one' })));
    here.write('f', numbered({ 1: 'one', 5: 'user' }));
    const two = await step(here, () => here.write('f', numbered({ 1: 'two', 5: 'user', 9: 'two' })));
    await restore(here, { target: one.before, steps: [one, two] });
    expect(text(here, 'f')).toBe(numbered({ 5: 'user' }));
  });

  it('does not remove a folder in which the user has put something since', async () => {
    const here = machine();
    here.write('a', 'file');
    const own = await step(here, () => {
      here.remove('a');
      here.write('a/task', 'x');
    });
    here.write('a/user', 'y');
    const result = await restore(here, { target: own.before, steps: [own] });
    expect(text(here, 'a/user')).toBe('y');
    expect(result.conflicts).toContain('a');
  });
});

describe('a restore that is cut off', () => {
  it.each([1, 3, 5])(
    'by the death of its process after %i files is finished by the next one, and doing so twice does no harm',
    async (files) => {
      const packsFolder = path.join(tmpdir(), `packs-${process.pid}-${files}`);
      const here = machine({ packs: new FolderPackStore(packsFolder) });
      for (let at = 0; at < 6; at += 1) here.write(`f${at}`, `old ${at}`);
      const target = await here.take();
      const before = treeListing(here.workspace);
      for (let at = 0; at < 6; at += 1) here.write(`f${at}`, `new ${at}`);
      here.write('extra', 'new');
      const last = await here.take();
      const options = { shadow: { folder: here.shadow }, workspace: here.workspace, packsFolder, files };
      expect(await killed(options, { target, parent: last, steps: 'everything' })).toBe('SIGKILL');
      const { checkpoints } = here;
      expect(treeListing(here.workspace)).not.toEqual(before);
      // In use until the restore has ended, whatever is kept else.
      await checkpoints.compact([last], signal);
      expect(await checkpoints.finishRestore(signal)).toMatchObject({ target, applied: { left: [] } });
      expect(treeListing(here.workspace)).toEqual(before);
      expect(await checkpoints.finishRestore(signal)).toBeNull();
      rmSync(packsFolder, { recursive: true, force: true });
    },
  );

  it('leaves what somebody has changed since the crash, and names it', async () => {
    const packsFolder = path.join(tmpdir(), `packs-${process.pid}-changed`);
    const here = machine({ packs: new FolderPackStore(packsFolder) });
    for (let at = 0; at < 4; at += 1) here.write(`f${at}`, `old ${at}`);
    const target = await here.take();
    for (let at = 0; at < 4; at += 1) here.write(`f${at}`, `new ${at}`);
    const last = await here.take();
    const options = { shadow: { folder: here.shadow }, workspace: here.workspace, packsFolder, files: 1 };
    await killed(options, { target, parent: last, steps: 'everything' });
    here.write('f3', 'since the crash');
    const finished = await here.checkpoints.finishRestore(signal);
    expect(finished?.applied.left).toEqual([{ path: 'f3', why: 'changed_meanwhile' }]);
    expect([text(here, 'f2'), text(here, 'f3')]).toEqual(['old 2', 'since the crash']);
    rmSync(packsFolder, { recursive: true, force: true });
  });
});

interface Killed {
  readonly shadow: { readonly folder: string };
  readonly workspace: string;
  readonly packsFolder: string;
  readonly files: number;
}

/** Restores in a process of its own, which dies when it has put so many files in their place; how it ended. */
async function killed(options: Killed, request: RestoreRequest): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', RESTORER], {
    env: { ...process.env, OPTIONS: JSON.stringify(options), REQUEST: JSON.stringify(request) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, endedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return endedBy;
}

const RESTORER = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { packsFolder, files, ...options } = JSON.parse(process.env.OPTIONS);
let left = files;
const rename = fs.renameSync;
fs.renameSync = (...args) => {
  if (left === 0) process.kill(process.pid, 'SIGKILL');
  left -= 1;
  rename(...args);
};
syncBuiltinESMExports();
const { Checkpoints, FolderPackStore } = await import('${import.meta.resolve('../../dist/index.js')}');
const packs = new FolderPackStore(packsFolder);
const checkpoints = new Checkpoints({ ...options, line: 'line', packs, coverage: {}, owner: null });
await checkpoints.restore(JSON.parse(process.env.REQUEST), new AbortController().signal);
`;
