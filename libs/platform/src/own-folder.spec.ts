import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownFolder, ownHome } from './own-folder.js';

const root = mkdtempSync(join(tmpdir(), 'bullpen-folders-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
let count = 0;
let folder: string;
beforeEach(() => {
  count += 1;
  folder = join(root, String(count));
});

/** What `make` does with this umask. */
function withUmask(umask: number, make: () => void): void {
  const before = process.umask(umask);
  try {
    make();
  } finally {
    process.umask(before);
  }
}

describe('a folder of our own', () => {
  it.each([[0o000], [0o022], [0o077], [0o177]])('has its mode with the umask %i', (umask) => {
    withUmask(umask, () => ownFolder(folder, 0o711));
    expect(modeOf(folder)).toBe('711');
  });

  it('that an older version left open is closed', () => {
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    ownFolder(folder, 0o700);
    expect(modeOf(folder)).toBe('700');
  });
});

describe('a home', () => {
  it.each([[0o000], [0o077]])('that is made is for us alone, with the umask %i', (umask) => {
    withUmask(umask, () => ownHome(folder));
    expect(modeOf(folder)).toBe('700');
  });

  it.each([
    [0o755, '711'],
    [0o777, '711'],
    [0o711, '711'],
    [0o700, '700'],
    [0o750, '710'],
    // Nobody's home: all write here.
    [0o1777, '1777'],
  ])('of mode %i can be passed through as before, but neither read nor written by others', (mode, after) => {
    mkdirSync(folder);
    chmodSync(folder, mode);
    ownHome(folder);
    expect(modeOf(folder)).toBe(after);
  });
});
