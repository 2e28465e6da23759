import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { resolveForReading, resolveForWriting, type InsidePath } from './confine.js';
import { openForReading, writeFileInside } from './open-inside.js';

let base: string;
let root: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'open-')));
  root = path.join(base, 'ws');
  await mkdir(path.join(root, 'src'), { recursive: true });
  await mkdir(path.join(base, 'out'));
  await writeFile(path.join(root, 'src/a'), 'inside');
  await writeFile(path.join(base, 'out/a'), 'secret');
});

afterEach(() => rm(base, { recursive: true, force: true }));

async function placeToRead(given: string): Promise<InsidePath> {
  const resolved = await resolveForReading(root, given);
  if (!resolved.ok) throw new Error(resolved.reason);
  return resolved.place;
}

async function placeToWrite(given: string): Promise<InsidePath> {
  const resolved = await resolveForWriting(root, given);
  if (!resolved.ok) throw new Error(resolved.reason);
  return resolved.place;
}

async function swapFolderForLink(): Promise<void> {
  await rename(path.join(root, 'src'), path.join(root, 'old'));
  await symlink(path.join(base, 'out'), path.join(root, 'src'));
}

describe('opening a file of a workspace', () => {
  it('reads a regular file', async () => {
    const opened = await openForReading(await placeToRead('src/a'));
    if (!opened.ok) throw new Error(opened.reason);
    expect(await opened.handle.readFile('utf8')).toBe('inside');
    await opened.handle.close();
  });

  it('does not follow a folder that was swapped for a link after the check', async () => {
    const place = await placeToRead('src/a');
    await swapFolderForLink();
    expect(await openForReading(place)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('symbolic link'),
    });
  });

  it('does not follow a file that was swapped for a link after the check', async () => {
    const place = await placeToRead('src/a');
    await rm(path.join(root, 'src/a'));
    await symlink(path.join(base, 'out/a'), path.join(root, 'src/a'));
    expect(await openForReading(place)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('symbolic link'),
    });
  });

  it('refuses folders and pipes at once, instead of waiting for a writer', async () => {
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
    expect(await openForReading(await placeToRead('pipe'))).toMatchObject({
      reason: expect.stringContaining('regular file'),
    });
    expect(await openForReading(await placeToRead('src'))).toMatchObject({
      reason: expect.stringContaining('is a folder'),
    });
    expect(await openForReading(await placeToRead('.'))).toMatchObject({
      reason: expect.stringContaining('is a folder'),
    });
  });
});

describe('writing a file of a workspace', () => {
  it('makes missing folders and leaves no temporary file', async () => {
    expect(await writeFileInside(await placeToWrite('new/deep/f'), 'x\n', 'w1')).toEqual({
      ok: true,
      created: true,
    });
    expect(await readFile(path.join(root, 'new/deep/f'), 'utf8')).toBe('x\n');
    expect(await readdir(path.join(root, 'new/deep'))).toEqual(['f']);
  });

  it('keeps the mode of a file that it replaces', async () => {
    await chmod(path.join(root, 'src/a'), 0o755);
    expect(await writeFileInside(await placeToWrite('src/a'), 'new', 'w1')).toEqual({
      ok: true,
      created: false,
    });
    expect((await stat(path.join(root, 'src/a'))).mode & 0o777).toBe(0o755);
  });

  it('takes over the temporary file that its own crashed run left behind', async () => {
    await writeFile(path.join(root, 'src/.bullpen-tmp-w1'), 'half');
    await writeFileInside(await placeToWrite('src/a'), 'whole', 'w1');
    expect(await readdir(path.join(root, 'src'))).toEqual(['a']);
    expect(await readFile(path.join(root, 'src/a'), 'utf8')).toBe('whole');
  });

  it('writes nothing outside when a folder was swapped for a link after the check', async () => {
    const place = await placeToWrite('src/new');
    await swapFolderForLink();
    expect(await writeFileInside(place, 'x', 'w1')).toMatchObject({ ok: false });
    expect(await readdir(path.join(base, 'out'))).toEqual(['a']);
  });

  it('does not replace a link or a folder', async () => {
    const place = await placeToWrite('spot');
    await symlink(path.join(base, 'out/a'), path.join(root, 'spot'));
    expect(await writeFileInside(place, 'x', 'w1')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('regular file'),
    });
    expect(await readFile(path.join(base, 'out/a'), 'utf8')).toBe('secret');
    expect(await writeFileInside(await placeToWrite('src'), 'x', 'w1')).toMatchObject({ ok: false });
  });

  const asRoot = process.getuid?.() === 0 ? it : it.skip;
  asRoot('gives new files and folders to the owner of their folder, when it runs as root', async () => {
    await chown(root, 12_345, 12_346);
    await writeFileInside(await placeToWrite('new/f'), 'x', 'w1');
    for (const made of ['new', 'new/f'])
      expect(await stat(path.join(root, made))).toMatchObject({ uid: 12_345, gid: 12_346 });
    await chown(path.join(root, 'new/f'), 1_111, 1_112);
    await writeFileInside(await placeToWrite('new/f'), 'y', 'w2');
    expect(await stat(path.join(root, 'new/f'))).toMatchObject({ uid: 1_111, gid: 1_112 });
  });
});
