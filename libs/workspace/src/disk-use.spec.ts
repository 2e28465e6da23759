import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diskUse } from './disk-use.js';
import { homeOf } from './sandbox/command-user.js';

const MB = 1_024 ** 2;
const never = new AbortController().signal;
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'bullpen-use-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

it('counts a workspace, the home of its commands and what lies beside it, follows no link, and minds nothing that is missing', async () => {
  const [folder, homesRoot, shadow] = ['-odd\nname', 'homes', 'shadow'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  const home = homeOf(homesRoot, folder);
  for (const place of [folder, home, shadow, join(root, 'elsewhere')]) {
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'f'), Buffer.alloc(MB, 1));
  }
  await symlink(join(root, 'elsewhere'), join(folder, 'link'));
  const places = { homesRoot, others: [shadow, join(root, 'gone')], path: '/usr/bin:/bin' };
  const bytes = (await diskUse(folder, places, never)) ?? 0;
  expect([bytes >= 3 * MB, bytes < 4 * MB]).toEqual([true, true]);
});

it('is unknown where nothing is there, and where no program can find it out', async () => {
  const places = { homesRoot: join(root, 'none'), others: [], path: '/usr/bin:/bin' };
  expect(await diskUse(join(root, 'none'), places, never)).toBeNull();
  expect(await diskUse(root, { ...places, path: join(root, 'none') }, never)).toBeNull();
});
