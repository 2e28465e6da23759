/** A checkpoint as an archive, unpacked by the system's own `tar`, is the tree that was taken. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, it } from '@jest/globals';
import { Machine, signal } from '../testing/machine.js';
import { archiveOf } from './archive.js';

/** Path, kind, bits, target of a link and bytes of everything in a folder; each character of a name is one byte. */
function listing(folder: string): string[] {
  const args = ['.', '-mindepth', '1', '-printf', '%P\\0%y\\0%m\\0%l\\0'];
  const found = execFileSync('find', args, { cwd: folder, encoding: 'latin1' }).split('\0');
  const all: string[] = [];
  for (let at = 0; at + 3 < found.length; at += 4) {
    const [name = '', kind = '', bits = '', target = ''] = found.slice(at, at + 4);
    const file = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
    const content = kind === 'f' ? readFileSync(file).toString('base64') : target;
    all.push([name, kind, kind === 'l' ? '' : bits, content].join('\t'));
  }
  return all.sort();
}

it('has all names, bytes, links, folders and modes, whatever they are', async () => {
  const task = new Machine();
  const into = mkdtempSync(path.join(tmpdir(), 'archive-'));
  try {
    const raw = (name: number[], text: string) =>
      writeFileSync(Buffer.concat([Buffer.from(`${task.workspace}/`), Buffer.from(name)]), text);
    task.write('plain', 'p\n');
    task.write('empty', '');
    task.write('large.bin', Buffer.alloc(3_000_000, 7));
    task.write('x.ps1', 'a\nb\n');
    task.write('v.txt', '$Id: mine $');
    task.write('.gitattributes', '*.ps1 text eol=crlf export-ignore\nv.txt ident export-subst\n');
    task.write(`${'long-folder-name/'.repeat(12)}${'n'.repeat(120)}`, 'deep');
    task.write('-n\nname', 'odd');
    task.write('caf\u00e9', 'composed');
    task.write('cafe\u0301', 'decomposed');
    raw([0x66, 0xff], 'no text for a name');
    raw([...Buffer.from('n'.repeat(150)), 0xfe], 'the same, and long');
    task.write('key.cfg', 'k', 0o600);
    task.write('run', '#!/bin/sh\n', 0o711);
    task.write('group', 'g', 0o664);
    task.write('closed/inside', 'c');
    mkdirSync(task.at('hollow'));
    chmodSync(task.at('hollow'), 0o700);
    chmodSync(task.at('closed'), 0o750);
    symlinkSync('/etc', task.at('outward'));
    symlinkSync('nowhere/caf\u00e9', task.at('dangling'));
    symlinkSync(Buffer.from([0x74, 0xff]), task.at('to-no-text'));
    const commit = await task.take();
    const file = path.join(into, 'a.tar.gz');
    await pipeline(archiveOf(task.checkpoints, commit, signal), createWriteStream(file));
    const out = path.join(into, 'out');
    mkdirSync(out);
    const said = execFileSync('tar', ['-xzpf', file, '-C', out], { stdio: ['ignore', 'pipe', 'pipe'] });
    expect(String(said)).toBe('');
    expect(listing(out)).toEqual(listing(task.workspace));
  } finally {
    task.end();
    rmSync(into, { recursive: true, force: true });
  }
});

it('of a checkpoint whose objects are gone does not begin', async () => {
  const task = new Machine();
  try {
    task.write('f', 'f');
    const commit = await task.take();
    rmSync(task.shadow, { recursive: true });
    await task.packs.removeLine('line');
    await expect(archiveOf(task.checkpoints, commit, signal).next()).rejects.toThrow('are not all stored');
  } finally {
    task.end();
  }
});
