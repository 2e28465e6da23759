import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Json } from '@bullpen/contracts';
import { listFilesTool } from './list-files.js';
import { workbench } from './testing/workbench.js';

const bench = workbench();

const list = (args: Record<string, Json>) => bench.call(listFilesTool(), args);

describe('list_files', () => {
  it('lists one level, sorted by code unit, without what is ignored', async () => {
    await bench.files({
      '.gitignore': 'out\n',
      'out/x': '',
      'b/c/d': '',
      'a.txt': '',
      'a/x': '',
      B: '',
      '.git/x': '',
      '.bullpen/x': '',
    });
    await mkdir(path.join(bench.root, 'empty'));
    await symlink('nowhere', path.join(bench.root, 'dangling'));
    expect((await list({})).output).toBe(
      [
        '.: 7 entries (showing 1-7)',
        'f .gitignore',
        'f B',
        'd a/',
        'f a.txt',
        'd b/',
        'l dangling -> nowhere',
        'd empty/',
      ].join('\n'),
    );
    expect((await list({ path: 'b', depth: 2 })).output).toBe('b: 2 entries (showing 1-2)\nd b/c/\nf b/c/d');
  });

  it('gives line counts and sizes, and tells text from binary by any NUL byte', async () => {
    await bench.files({
      none: '',
      one: 'x',
      ended: 'x\n',
      two: 'x\ny',
      blank: '\n\n',
      late: `${'x\n'.repeat(200_000)}\0`,
      long: 'x'.repeat(5_000_000),
      'sub/f': 'ü\n',
    });
    await symlink('one', path.join(bench.root, 'link'));
    expect((await list({ recursive: true, details: true })).output).toBe(
      [
        '.: 9 entries (showing 1-9)',
        'f 2 2 blank',
        'f 1 2 ended',
        'b - 400001 late',
        'l - - link -> one',
        'f 1 5000000 long',
        'f 0 0 none',
        'f 1 1 one',
        'f 1 3 sub/f',
        'f 2 3 two',
      ].join('\n'),
    );
    expect((await list({ details: true })).output).toContain('\nd - - sub/\n');
  });

  it('writes odd names so that each stays one line and can be read back', async () => {
    const odd = ['new\nline', 'tab\t', 'back\\slash', '"quoted', ' lead', 'trail ', 'del\u007f', 'sep\u2028'];
    const plain = ['two words', '한글', '한글'.normalize('NFD'), '👍', '-rf', "it's", 'mid"quote', 'a -> b'];
    await bench.files(Object.fromEntries([...odd, ...plain].map((name) => [name, ''])));
    await symlink('t -> u', path.join(bench.root, 'x -> y'));
    const [, ...lines] = (await list({})).output.split('\n');
    const shown = lines.filter((line) => line.startsWith('f ')).map((line) => line.slice(2));
    const back = shown.map((text) => (text.startsWith('"') ? (JSON.parse(text) as string) : text));
    expect([...back].sort()).toEqual([...odd, ...plain].sort());
    expect(shown.filter((text) => text.startsWith('"'))).toHaveLength(odd.length);
    expect(lines).toContain('l "x -> y" -> "t -> u"');
  });

  it('pages without gap or overlap, and never cuts a page in the middle', async () => {
    const names = Array.from(
      { length: 250 },
      (_, index) => `${'n'.repeat(100)}${String(index).padStart(3, '0')}`,
    );
    await bench.files(Object.fromEntries(names.map((name) => [name, ''])));
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const { output } = await list({ offset, limit: 1_000 });
      expect(output.length).toBeLessThan(9_500);
      const lines = output.split('\n');
      const shown = lines.filter((line) => line.startsWith('f ')).map((line) => line.slice(2));
      expect(lines[0]).toBe(`.: 250 entries (showing ${offset + 1}-${offset + shown.length})`);
      seen.push(...shown);
      const next = /^… (\d+) more entries; continue with offset (\d+)$/.exec(lines.at(-1) ?? '');
      if (next) expect(Number(next[1])).toBe(250 - seen.length);
      offset = next ? Number(next[2]) : null;
    }
    expect(seen).toEqual(names);
  });

  it('shows an empty folder, a single file, and what to do about a wrong path or offset', async () => {
    await bench.files({ 'a/f': 'x' });
    await mkdir(path.join(bench.root, 'empty'));
    expect((await list({ path: 'empty' })).output).toBe('empty: 0 entries (showing 0-0)');
    expect((await list({ path: 'a/f', details: true })).output).toBe('a/f: 1 entry (showing 1-1)\nf 1 1 a/f');
    expect(await list({ path: 'emty' })).toMatchObject({
      isError: true,
      output: expect.stringContaining('"empty"'),
    });
    expect(await list({ offset: 9 })).toMatchObject({ isError: true });
    expect(await list({ path: '..' })).toMatchObject({
      isError: true,
      output: expect.stringContaining('outside'),
    });
  });
});
