import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { resolveForReading, resolveForWriting } from './confine.js';

let base: string;
let root: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'confine-')));
  root = path.join(base, 'ws');
  await mkdir(path.join(root, 'src/sub'), { recursive: true });
  await mkdir(path.join(root, '.git'));
  await mkdir(path.join(root, '.bullpen'));
  await mkdir(path.join(base, 'ws-evil'));
  await writeFile(path.join(root, 'src/a.ts'), 'a');
  await writeFile(path.join(root, '.git/config'), '');
  await writeFile(path.join(root, '.bullpen/key'), 'secret');
  await writeFile(path.join(base, 'ws-evil/s'), 'secret');
  const links: Record<string, string> = {
    inside: 'src/a.ts',
    folder: 'src',
    outside: base,
    absolute: path.join(base, 'ws-evil/s'),
    dangling: path.join(base, 'new-file'),
    circle: 'circle',
    winding: 'src/sub/../../../ws-evil',
    repo: '.git',
    own: '.bullpen',
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, path.join(root, name));
});

afterEach(() => rm(base, { recursive: true, force: true }));

describe('a path given by a model', () => {
  it.each([
    ['.', ''],
    ['src/a.ts', 'src/a.ts'],
    ['./src//sub/../a.ts', 'src/a.ts'],
    ['src/sub/', 'src/sub'],
    ['inside', 'src/a.ts'],
    ['folder/a.ts', 'src/a.ts'],
    ['.git/config', '.git/config'],
  ])('may be read when it stays inside: %s', async (given, relative) => {
    expect(await resolveForReading(root, given)).toMatchObject({
      ok: true,
      place: { relative, exists: true },
    });
  });

  it('may be absolute when it lies in the workspace', async () => {
    expect(await resolveForReading(root, `${root}/src/a.ts`)).toMatchObject({
      ok: true,
      place: { relative: 'src/a.ts' },
    });
  });

  it('may be absolute under another name of the workspace folder', async () => {
    const alias = path.join(base, 'alias');
    await symlink(root, alias);
    expect(await resolveForReading(alias, `${alias}/src/a.ts`)).toMatchObject({
      ok: true,
      place: { relative: 'src/a.ts', root },
    });
  });

  it.each([
    ['', 'empty'],
    ['a\0b', 'NUL'],
    ['~', '"~"'],
    ['~/x', '"~"'],
    ['~root/x', '"~"'],
    ['C:\\x', 'Windows'],
    ['c:/x', 'Windows'],
    ['\\\\host\\x', 'Windows'],
    ['..', 'outside'],
    ['../ws-evil/s', 'outside'],
    ['src/../../ws-evil/s', 'outside'],
    ['/etc/passwd', 'outside'],
    ['outside/ws-evil/s', 'symbolic link'],
    ['absolute', 'symbolic link'],
    ['winding/s', 'symbolic link'],
    ['dangling', 'does not exist'],
    ['dangling/x', 'does not exist'],
    ['circle', 'circle'],
    ['src/a.ts/x', 'as if it were a folder'],
    [`src/${'n'.repeat(300)}`, 'too long'],
    [`${'d/'.repeat(3_000)}x`, 'longer than'],
    ['.bullpen/key', "Bullpen's own"],
    ['own/key', "Bullpen's own"],
    ['.BULLPEN/key', "Bullpen's own"],
  ])('is refused both for reading and writing (case %#)', async (given, reason) => {
    for (const resolve of [resolveForReading, resolveForWriting]) {
      expect(await resolve(root, given)).toEqual({
        ok: false,
        code: expect.stringMatching(/^(refused|outside)$/),
        reason: expect.stringContaining(reason),
      });
    }
  });

  it.each([
    '.git/config',
    '.git',
    '.GIT/config',
    '.git./hooks/x',
    'src/.git/hooks/pre-commit',
    'repo/config',
  ])('is not written inside a git folder: %s', async (given) => {
    expect(await resolveForWriting(root, given)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('git commands'),
    });
  });

  it.each([
    '.gitignore',
    '.github/x.yml',
    'new/deep/file',
    'folder/new',
    'inside',
    '-rf',
    ' lead',
    '한글',
    '👍.md',
    'a\nb',
    './~x',
  ])('may be written when it is only an odd or new name: %j', async (given) => {
    const resolved = await resolveForWriting(root, given);
    expect(resolved).toMatchObject({ ok: true });
    expect(resolved.ok && resolved.place.absolute.startsWith(`${root}/`)).toBe(true);
  });

  it('is told to be absent, apart from being refused', async () => {
    expect(await resolveForReading(root, 'src/b.ts')).toMatchObject({ ok: false, code: 'not_found' });
  });
});
