/** What a command may have made in a repository, and what would run programs or lead outside when a person uses git there. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { isHarmlessPart } from './git-parts.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'git-parts-')));
  for (const folder of ['.git/evil', '.git/modules/m/evil', '.git/worktrees/w', 'sub', 'real'])
    mkdirSync(path.join(root, folder), { recursive: true });
  for (const repository of ['.git', '.git/evil', '.git/modules/m', '.git/modules/m/evil', '.git/worktrees/w'])
    writeFileSync(path.join(root, repository, 'HEAD'), 'ref: refs/heads/main\n');
  symlinkSync('/usr', path.join(root, 'outside'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it.each([
  ['../.git/modules/m', true],
  ['../.git/worktrees/w', true],
  ['../.git', true],
  ['../.git/evil', false],
  ['../.git/modules/m/evil', false],
  ['../.git/missing', false],
  ['../outside/.git', false],
  ['/etc', false],
])('a .git file that leads to %s is harmless: %s', (target, isHarmless) => {
  writeFileSync(path.join(root, 'sub/.git'), `gitdir: ${target}\n`);
  expect(isHarmlessPart(root, 'sub/.git')).toBe(isHarmless);
});

it.each([
  ['../../../real', true],
  ['../../../missing', false],
  ['../../../outside', false],
  ['../../../..', false],
  ['/usr', false],
  ['"/usr"', false],
])('a repository whose files are in %s is harmless: %s', (tree, isHarmless) => {
  writeFileSync(path.join(root, '.git/modules/m/config'), `[core]\n\tbare = false\n\tworktree = ${tree}\n`);
  expect(isHarmlessPart(root, '.git/modules/m/config')).toBe(isHarmless);
});
