import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { prepareHome } from './sandbox/command-user.js';
import { WorkspaceRemoval, type WorkspaceRemovalOptions } from './workspace-removal.js';

let home: string;
let problems: unknown[];
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'removal-'));
  problems = [];
});
afterEach(() => rm(home, { recursive: true, force: true }));

const root = () => path.join(home, 'workspaces');
const homesRoot = () => path.join(home, 'homes');
const outputsRoot = () => path.join(home, 'outputs');
const shadowsRoot = () => path.join(home, 'shadows');
const removal = (more: Partial<WorkspaceRemovalOptions> = {}) =>
  new WorkspaceRemoval({
    workspacesOf: async () => [],
    shadowsRoot: shadowsRoot(),
    ...more,
    root: root(),
    homesRoot: homesRoot(),
    outputsRoot: outputsRoot(),
    onProblem: (...problem) => problems.push(problem),
  });
async function aWorkspace(id: string): Promise<void> {
  await mkdir(path.join(root(), id, 'src'), { recursive: true });
  await writeFile(path.join(root(), id, 'src', 'a.txt'), 'a');
  await prepareHome(homesRoot(), path.join(root(), id), null);
  await mkdir(path.join(outputsRoot(), id, 'proc_1'), { recursive: true });
}
const left = async () => ({
  workspaces: (await readdir(root())).sort(),
  homes: (await readdir(homesRoot())).length,
  outputs: (await readdir(outputsRoot())).sort(),
});

it('removes the folder of a tree that is gone, with the home and the output of its commands, and nothing of the others', async () => {
  await aWorkspace('task_a');
  await aWorkspace('task_b');
  const folders = removal();

  await folders.before('task_a');
  await folders.after('task_a', true);
  await folders.before('task_b');
  await folders.after('task_b', false);
  await folders.before('task_without');
  await folders.after('task_without', true);

  expect(await left()).toEqual({ workspaces: ['task_b'], homes: 1, outputs: ['task_b'] });
  expect([folders.removed, problems]).toEqual([1, []]);
});

it('finishes after a crash what was begun, and leaves what turned out to stay', async () => {
  for (const id of ['task_a', 'task_b', 'task_c']) await aWorkspace(id);
  const crashed = removal();
  await crashed.before('task_a');
  await crashed.before('task_b');

  await removal().recover((ids) => Promise.resolve(new Set(ids.filter((id) => id === 'task_b'))));

  expect(await left()).toEqual({ workspaces: ['task_b', 'task_c'], homes: 2, outputs: ['task_b', 'task_c'] });
});

it('does nothing where there are no workspaces, and never leaves the folder', async () => {
  await removal().recover(() => Promise.reject(new Error('not asked')));
  await mkdir(path.join(home, 'other'));
  await removal().after('../other', true);
  expect(await readdir(home)).toEqual(['other']);
  expect(problems).toEqual([]);
});

it('says what it could not do and goes on', async () => {
  await aWorkspace('task_a');
  const crashed = removal();
  await crashed.before('task_a');
  await removal().recover(() => Promise.reject(new Error('database away')));
  expect(problems).toEqual([['', new Error('database away')]]);
  expect((await left()).workspaces).toEqual(['task_a', 'task_a.removing']);
});

it('removes output also where a tree worked in a folder of somebody else, and where workspaces are kept', async () => {
  await aWorkspace('task_a');
  await mkdir(path.join(outputsRoot(), 'task_elsewhere', 'proc_1'), { recursive: true });
  const folders = removal({ keepWorkspaces: true });
  for (const id of ['task_a', 'task_elsewhere']) {
    await folders.before(id);
    await folders.after(id, true);
  }
  expect(await left()).toEqual({ workspaces: ['task_a'], homes: 1, outputs: [] });
});

it('removes the workspaces that subtasks have of their own, and what checkpoints are made with, also after a crash', async () => {
  for (const id of ['task_a', 'task_child', 'task_b']) {
    await aWorkspace(id);
    await mkdir(path.join(shadowsRoot(), id), { recursive: true });
    await writeFile(path.join(shadowsRoot(), `${id}.copy`), '1');
  }
  const stored: string[] = [];
  const options = {
    workspacesOf: async () => ['task_a', 'task_child', '../other'],
    removeStored: async (id: string) => void stored.push(id),
  };
  await removal(options).before('task_a');

  // By then the rows that named the workspaces are gone.
  await removal({ ...options, workspacesOf: async () => [] }).recover(async () => new Set());

  expect((await left()).workspaces).toEqual(['task_b']);
  expect((await readdir(shadowsRoot())).sort()).toEqual(['task_b', 'task_b.copy']);
  expect([stored, problems]).toEqual([['task_a'], []]);
});

it('goes through no link, also not through one that takes the place of a folder meanwhile', async () => {
  await aWorkspace('task_a');
  const [keep, elsewhere] = [path.join(home, 'keep'), path.join(home, 'elsewhere')];
  for (const folder of [keep, elsewhere]) {
    await mkdir(folder);
    await writeFile(path.join(folder, 'f'), 'kept');
  }
  const at = (...names: string[]) => path.join(root(), 'task_a', ...names);
  await symlink(path.relative(at(), keep), at('node_modules'));
  await symlink(elsewhere, at('logs'));
  for (let index = 0; index < 200; index += 1)
    await mkdir(at('many', `${index}`, 'deep'), { recursive: true });
  const stop = new AbortController();
  const swapping = swapInTurn(at('many'), keep, stop.signal);
  const folders = removal();
  await folders.before('task_a');
  await folders.after('task_a', true);
  stop.abort();
  expect(await swapping).toBeGreaterThan(0);
  for (const folder of [keep, elsewhere]) expect(await readdir(folder)).toEqual(['f']);
  // What was put there while it was removed goes with the next run.
  await removal().before('task_a');
  await removal().after('task_a', true);
  expect((await left()).workspaces).toEqual([]);
});

/** Puts a link in the place of one folder after the other, wherever they are by now. */
async function swapInTurn(folder: string, target: string, signal: AbortSignal): Promise<number> {
  const moved = await mkdtemp(path.join(path.dirname(root()), 'moved-'));
  let swaps = 0;
  for (let index = 0; !signal.aborted && index < 200; index += 1) {
    const place = path.join(folder, `${index}`);
    try {
      await rename(place, path.join(moved, `${index}`));
      await symlink(target, place);
      swaps += 1;
    } catch {
      // It is gone already.
    }
  }
  return swaps;
}
