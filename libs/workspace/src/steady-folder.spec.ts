/** What was a folder or a file when it was found is not followed when it is a link by the time it is used. */
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { copyEntries, DEFAULT_COPY_LIMITS, listForCopy } from './copy-folder.js';
import { SteadyFolder } from './steady-folder.js';

const signal = new AbortController().signal;
let base: string;
let root: string;

beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'steady-'));
  root = path.join(base, 'ws');
  for (const [name, content] of [
    ['ws/d/a.txt', 'inside'],
    ['ws/d/sub/b.txt', 'inside'],
    ['ws/top.txt', 'inside'],
    ['out/a.txt', 'outside'],
    ['out/sub/b.txt', 'outside'],
  ] as const) {
    await mkdir(path.dirname(path.join(base, name)), { recursive: true });
    await writeFile(path.join(base, name), content);
  }
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** A command does this while we work. */
async function swap(name: string, target: string): Promise<void> {
  await rename(path.join(root, name), path.join(base, 'gone'));
  await symlink(path.join(base, target), path.join(root, name));
}

it('a folder that was opened stays that folder', async () => {
  await SteadyFolder.with(root, ['d'], async (folder) => {
    await swap('d', 'out');
    expect(await readFile(folder.at('a.txt'), 'utf8')).toBe('inside');
    expect(await readdir(folder.path)).toEqual(['a.txt', 'sub']);
  });
});

it('no link is a way down', async () => {
  await swap('d', 'out');
  await expect(SteadyFolder.with(root, ['d'], async () => 'entered')).rejects.toThrow(/ENOTDIR|ELOOP/);
  await expect(SteadyFolder.with(root, ['d', 'sub'], async () => 'entered')).rejects.toThrow(/ENOTDIR|ELOOP/);
});

it.each(['d', 'd/sub', 'd/a.txt', 'top.txt'])(
  'a copy leaves %s out when it has become a link since the folder was listed',
  async (name) => {
    const list = await listForCopy(root, DEFAULT_COPY_LIMITS, signal);
    await swap(
      name,
      name === 'd/sub' ? 'out/sub' : name.startsWith('d/') || name === 'top.txt' ? 'out/a.txt' : 'out',
    );
    const copy = path.join(base, 'copy');
    await mkdir(copy);
    await copyEntries(root, copy, list, null, signal);
    const files = (await readdir(copy, { recursive: true })).filter((each) => each.endsWith('.txt'));
    for (const each of files) expect(await readFile(path.join(copy, each), 'utf8')).toBe('inside');
    expect(list.leftOut).toContainEqual(expect.objectContaining({ why: 'gone' }));
  },
);
