/** A patch of what was changed, as `git apply` takes it in the folder that it came from. */
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { ShadowRepository } from '../objects/shadow-repository.js';
import { Machine, signal } from '../testing/machine.js';
import { mergeInto } from './merge.js';

/** What git knows of a file: kind, whether it is a program, bytes. */
function treeOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .filter(
      (file) => !path.relative(folder, file).split('/').includes('.git') && !lstatSync(file).isDirectory(),
    )
    .map((file) => {
      const stats = lstatSync(file);
      const content = stats.isSymbolicLink() ? readlinkSync(file) : readFileSync(file).toString('base64');
      return `${path.relative(folder, file)} ${stats.isSymbolicLink() ? 'link' : stats.mode & 0o100} ${content}`;
    })
    .sort();
}

it('brings everything in bytes, as does a merge: binaries, empty files, modes, links, renames, odd line ends and letters, staged or not', async () => {
  const task = new Machine();
  const clone = mkdtempSync(path.join(tmpdir(), 'patch-'));
  try {
    const png = Buffer.from([0x89, 0x50, 0, 1, 2, 3, 255]);
    task.write('p.png', png);
    task.write('run', '#!/bin/sh\n', 0o644);
    task.write('text', 'a\r\n \n\fform\n\xe9 latin\nlast without end');
    task.write('latin', Buffer.from([0xe9, 10, 32, 10, 0xe8, 10]));
    task.write('becomes-link', 'x');
    task.write('old name', 'l\n'.repeat(30));
    task.write('c', 'c');
    symlinkSync('text', task.at('link'));
    task.git('init', '-q');
    task.git('add', '-A');
    task.git('commit', '-qm', 'first');
    const base = await task.take();
    execFileSync('git', ['clone', '-q', task.workspace, clone]);

    task.write('p.png', Buffer.concat([png, png]));
    task.write('new.zip', Buffer.from([0x50, 0x4b, 3, 4, 0, 0]));
    task.write('empty', '');
    chmodSync(task.at('run'), 0o755);
    task.write('text', 'b\r\n \n\fform\n\xe9 latin\nlast without end!');
    task.write('latin', Buffer.from([0xe9, 10, 32, 10, 0xe7, 10]));
    task.remove('becomes-link');
    symlinkSync('text', task.at('becomes-link'));
    task.remove('link');
    symlinkSync('run', task.at('link'));
    renameSync(task.at('old name'), task.at('new\tname'));
    // Committed, staged, and only announced: a patch that asks the user's index would lack some of it.
    task.write('c', 'c2');
    task.git('commit', '-qam', 'second');
    task.write('staged', 's\n');
    task.git('add', 'staged');
    task.write('meant', 'm\n');
    task.git('add', '--intent-to-add', 'meant');
    const theirs = await task.take();

    const pieces: Buffer[] = [];
    for await (const piece of task.checkpoints.patch(base, theirs, signal)) pieces.push(piece);
    const input = Buffer.concat(pieces);
    execFileSync('git', ['apply', '--check'], { cwd: clone, input });
    execFileSync('git', ['apply'], { cwd: clone, input });
    expect(treeOf(clone)).toEqual(treeOf(task.workspace));

    const { list } = await task.checkpoints.diff(base, theirs, signal);
    const names = list.map((file) => file.path);
    expect(names).toEqual(expect.arrayContaining(['c', 'staged', 'meant', 'empty', 'new.zip']));
    execFileSync('git', ['checkout', '-q', '.'], { cwd: clone });
    execFileSync('git', ['clean', '-qfd'], { cwd: clone });
    await ShadowRepository.alone({ folder: task.shadow }, signal, (shadow) =>
      mergeInto(shadow, { base, theirs }, { root: clone, owner: null }, signal),
    );
    expect(treeOf(clone)).toEqual(treeOf(task.workspace));
  } finally {
    task.end();
    rmSync(clone, { recursive: true, force: true });
  }
});
