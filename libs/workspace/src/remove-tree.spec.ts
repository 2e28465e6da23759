import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { removeTree } from './remove-tree.js';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'remove-tree-'));
  await mkdir(path.join(base, 'keep/sub'), { recursive: true });
  await writeFile(path.join(base, 'keep/sub/a.txt'), 'a');
});
afterEach(() => rm(base, { recursive: true, force: true }));

it('takes a folder with closed folders and odd names in it, and nothing that its links lead to', async () => {
  const tree = path.join(base, '-rf tree');
  await mkdir(path.join(tree, 'closed/deeper'), { recursive: true });
  await writeFile(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xff])]), '');
  await symlink(path.join(base, 'keep'), path.join(tree, 'out'));
  await chmod(path.join(tree, 'closed'), 0);
  await removeTree(tree);
  expect(await readdir(base)).toEqual(['keep']);
  expect(await readdir(path.join(base, 'keep/sub'))).toEqual(['a.txt']);
});

it('takes a link and leaves what it leads to', async () => {
  await symlink(path.join(base, 'keep'), path.join(base, 'link'));
  await removeTree(path.join(base, 'link'));
  expect(await readdir(base)).toEqual(['keep']);
});

it('has nothing to do where there is nothing', async () => {
  await expect(removeTree(path.join(base, 'missing'))).resolves.toBeUndefined();
});
