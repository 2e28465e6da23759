/** What `.bullpenignore` hides: from reading, writing, listing, and from commands; and where a path of a command leads. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { locate, resolveForReading, resolveForWriting } from './confine.js';
import { HiddenPaths } from './hidden-paths.js';
import { placeOfPath } from './place-of-path.js';
import { walk } from './walk.js';

let base: string;
let root: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'hidden-')));
  root = path.join(base, 'ws');
  for (const folder of ['private/deep', 'src/sub', 'Café'])
    await mkdir(path.join(root, folder), { recursive: true });
  for (const file of ['private/deep/a', 'src/a.key', 'src/keep.key', 'src/a.ts', 'Café/menu', 'Readme.txt'])
    await writeFile(path.join(root, file), file);
  await hide('private/', '*.key', '!keep.key', '/src/sub', 'CAFE\u0301', 'linked');
  await symlink('private', path.join(root, 'way'));
  await symlink('src/a.ts', path.join(root, 'linked'));
  await symlink('../..', path.join(root, 'src/up'));
  await symlink('round', path.join(root, 'round'));
  await symlink(path.join(base, 'new'), path.join(root, 'dangling'));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const hide = (...lines: string[]) => writeFile(path.join(root, '.bullpenignore'), lines.join('\n'));
const placeOf = (given: string) => placeOfPath(root, given, HiddenPaths.of(root));

const HIDDEN = [
  ...['private', 'private/deep/a', 'private/new', 'PRIVATE/deep/a', 'src/a.key', 'src/A.KEY', 'src/sub/x'],
  ...['way/deep/a', 'way', 'linked', 'caf\u00e9/menu', 'src/../private/deep'],
];
const OPEN = ['.', 'src', 'src/a.ts', 'src/keep.key', 'Readme.txt', 'sub', '.bullpenignore'];

describe('what is hidden from agents', () => {
  it.each(HIDDEN)('%s can be neither read nor written, and is said to be hidden', async (given) => {
    expect(await resolveForReading(root, given)).toMatchObject({ ok: false, code: 'hidden' });
    expect(await resolveForWriting(root, given)).toMatchObject({ ok: false, code: 'hidden' });
    expect(await locate(root, given)).toMatchObject({ place: 'hidden' });
  });

  it.each(OPEN)('%s is not', async (given) => {
    const resolved = await resolveForReading(root, given);
    expect(resolved.ok ? 'open' : resolved.code).toBe(given === 'sub' ? 'not_found' : 'open');
    expect(await locate(root, given)).toMatchObject({ place: 'inside' });
  });

  it('is not listed', async () => {
    const paths = (await walk(root, {}, new AbortController().signal)).map((entry) => entry.path);
    expect(paths).toEqual([
      ...[
        '.bullpenignore',
        'Readme.txt',
        'dangling',
        'round',
        'src',
        'src/a.ts',
        'src/keep.key',
        'src/up',
        'way',
      ],
    ]);
  });

  it('is everything when the file cannot be understood as one', async () => {
    await rm(path.join(root, '.bullpenignore'));
    expect(HiddenPaths.of(root).hides(['private'], true)).toBe(false);
    await symlink('/dev/null', path.join(root, '.bullpenignore'));
    expect(HiddenPaths.of(root).hides(['src', 'a.ts'], false)).toBe(true);
    expect(HiddenPaths.of(root).hides([], true)).toBe(false);
  });
});

describe('locate', () => {
  it('names where a path leads', async () => {
    expect(await locate(root, '../x')).toEqual({ path: path.join(base, 'x'), place: 'outside' });
    expect(await locate(root, 'src/up')).toEqual({ path: base, place: 'outside' });
    expect(await locate(root, './src//a.ts')).toEqual({ path: 'src/a.ts', place: 'inside' });
    expect(await locate(root, 'src/new/file')).toEqual({ path: 'src/new/file', place: 'inside' });
    for (const given of ['', 'a\0b', '~/x', 'round']) expect(await locate(root, given)).toBeNull();
  });
});

describe('placeOfPath', () => {
  it.each([
    ['', 'inside', ''],
    ['/src/a.ts', 'inside', 'src/a.ts'],
    ['/src/new/file', 'inside', 'src/new/file'],
    ['/src/sub/../a.ts', 'inside', 'src/a.ts'],
    ['/src/up/ws/src/a.ts', 'inside', 'src/a.ts'],
    ['/src/up', 'outside', null],
    ['/..', 'outside', null],
    ['/../ws-other/x', 'outside', null],
    ['/way/../Readme.txt', 'inside', 'Readme.txt'],
    ['/way/deep/a', 'hidden', 'private/deep/a'],
    ['/private', 'hidden', 'private'],
    ['/.bullpen/key', 'hidden', '.bullpen/key'],
    ['/round', 'outside', null],
    ['/dangling', 'outside', null],
    ['/a\0b', 'outside', null],
    [`/${'x'.repeat(300)}`, 'outside', null],
  ])('follows <workspace>%s: %s', (given, place, relative) => {
    expect(placeOf(`${root}${given}`)).toEqual({ place, relative });
  });

  it.each(['/', '/etc/passwd', '/proc/self/cwd', '', '.'])('takes %j for outside', (given) => {
    expect(placeOf(given).place).toBe('outside');
  });
});
