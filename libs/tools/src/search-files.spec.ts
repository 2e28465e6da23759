import { rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Json } from '@bullpen/contracts';
import { searchFilesTool } from './search-files.js';
import { searchFiles } from './search-matches.js';
import { workbench } from './testing/workbench.js';

const bench = workbench();

const search = (args: Record<string, Json>) => bench.call(searchFilesTool(), args);

describe('search_files', () => {
  it('gives one line for each matching line, with the column in characters', async () => {
    await bench.files({ 'b.txt': 'x\n각👍 foo foo\r\n', 'a/c.txt': 'foo', '.hidden': 'no\nfoo\n' });
    expect((await search({ pattern: 'fo+' })).output).toBe(
      [
        '3 matches in 3 files (showing 1-3)',
        '.hidden:2:1: foo',
        'a/c.txt:1:1: foo',
        'b.txt:2:4: 각👍 foo foo',
      ].join('\n'),
    );
  });

  it('says 0 matches, and obeys case, path and glob', async () => {
    await bench.files({ 'src/a.ts': 'Foo', 'src/x/b.js': 'foo', 'c.ts': 'foo' });
    const found = async (args: Record<string, Json>) =>
      (await search(args)).output
        .split('\n')
        .slice(1)
        .map((line) => line.split(':')[0]);
    expect((await search({ pattern: 'bar' })).output).toBe('0 matches');
    expect(await found({ pattern: 'foo' })).toEqual(['c.ts', 'src/x/b.js']);
    expect(await found({ pattern: 'foo', caseSensitive: false })).toEqual(['c.ts', 'src/a.ts', 'src/x/b.js']);
    expect(await found({ pattern: 'oo', path: 'src' })).toEqual(['src/a.ts', 'src/x/b.js']);
    expect(await found({ pattern: 'oo', path: 'src/a.ts' })).toEqual(['src/a.ts']);
    expect(await found({ pattern: 'oo', glob: '*.ts' })).toEqual(['c.ts', 'src/a.ts']);
    expect(await found({ pattern: 'oo', glob: 'src/**/*.{js,mjs}' })).toEqual(['src/x/b.js']);
    expect(await found({ pattern: 'oo', glob: '!*.ts' })).toEqual(['src/x/b.js']);
  });

  it('leaves out ignored files (also when the glob names them), links, and binary files wholly', async () => {
    await bench.files({
      '.gitignore': 'out/\n*.log\n',
      'out/x': 'foo',
      'a.log': 'foo',
      'sub/.gitignore': '!keep.log\n',
      'sub/keep.log': 'foo',
      '.git/x': 'foo',
      '.bullpen/x': 'foo',
      binary: `foo\n${'x\n'.repeat(100_000)}\0`,
      utf16: Buffer.from('\uFEFFfoo\n', 'utf16le'),
      bom: '\uFEFFfoo',
    });
    await symlink('/etc/hostname', path.join(bench.root, 'link'));
    expect((await search({ pattern: '^foo' })).output).toBe(
      '2 matches in 2 files (showing 1-2)\nbom:1:1: foo\nsub/keep.log:1:1: foo',
    );
    expect((await search({ pattern: 'foo', glob: '*.log' })).output).toMatch(/^1 match /);
    expect((await search({ pattern: '.' })).output).not.toContain('link');
  });

  it('trims long lines around the match', async () => {
    await bench.files({ long: `${'a'.repeat(2_500_000)}needle${'b'.repeat(2_500_000)}` });
    const [, line = ''] = (await search({ pattern: 'needle' })).output.split('\n');
    expect(line).toMatch(/^long:1:2500001: …a+needleb+…$/);
    expect(line.length).toBeLessThan(330);
  });

  it('shows context once, and separates what is apart', async () => {
    await bench.files({ f: ['1', 'hit', '3', 'hit', '5', '6', '7', '8', 'hit', '10'].join('\n') });
    expect((await search({ pattern: 'hit', context: 1 })).output.split('\n').slice(1)).toEqual([
      'f-1- 1',
      'f:2:1: hit',
      'f-3- 3',
      'f:4:1: hit',
      'f-5- 5',
      '--',
      'f-8- 8',
      'f:9:1: hit',
      'f-10- 10',
    ]);
  });

  it('quotes paths that would make a line ambiguous', async () => {
    await bench.files({ 'a:1:2': 'foo', 'b\nc': 'foo', '-e': 'foo' });
    expect((await search({ pattern: 'foo' })).output.split('\n').slice(1)).toEqual([
      '-e:1:1: foo',
      '"a:1:2":1:1: foo',
      '"b\\nc":1:1: foo',
    ]);
  });

  it('pages without gap or overlap within the output cap', async () => {
    await bench.files({ a: `${'foo '.repeat(50)}\n`.repeat(60), b: 'foo\n'.repeat(7) });
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const { output } = await search({ pattern: 'foo', offset, limit: 40 });
      expect(output.length).toBeLessThan(9_500);
      const lines = output.split('\n');
      const shown = lines.filter((line) => /^[ab]:/.test(line));
      expect(lines[0]).toBe(`67 matches in 2 files (showing ${offset + 1}-${offset + shown.length})`);
      seen.push(...shown.map((line) => line.split(':', 2).join(':')));
      const next = /^… (\d+) more matches; continue with offset (\d+)$/.exec(lines.at(-1) ?? '');
      offset = next ? Number(next[2]) : null;
    }
    expect(seen).toEqual([
      ...Array.from({ length: 60 }, (_, i) => `a:${i + 1}`),
      ...Array.from({ length: 7 }, (_, i) => `b:${i + 1}`),
    ]);
  });

  it('stops counting at 10,000 matches and says so', async () => {
    await bench.files({ a: 'foo\n'.repeat(9_999), b: 'foo\n', c: 'foo\n' });
    const { output } = await search({ pattern: 'foo', limit: 1 });
    expect(output).toMatch(/^10000 matches in 2 files \(showing 1-1\)\n/);
    expect(output).toContain('stopped counting at 10000');
    await rm(path.join(bench.root, 'c'));
    expect((await search({ pattern: 'foo', limit: 1 })).output).not.toContain('stopped counting');
  });

  it('is not stopped by a binary file with more matches than are counted', async () => {
    await bench.files({ a: `${'foo\n'.repeat(20_000)}\0`, b: 'foo' });
    expect((await search({ pattern: 'foo' })).output).toBe('1 match in 1 file (showing 1-1)\nb:1:1: foo');
  });

  it('tells what is wrong with a pattern or a path', async () => {
    expect(await search({ pattern: 'a(b' })).toMatchObject({
      isError: true,
      output: expect.stringContaining('unclosed group'),
    });
    expect(await search({ pattern: 'a\nb' })).toMatchObject({ isError: true });
    expect(await search({ pattern: 'a', path: 'none' })).toMatchObject({ isError: true });
    await bench.files({ f: '-e' });
    expect((await search({ pattern: '-e' })).output).toMatch(/^1 match /);
  });
});

it('searches no file behind a link that was a folder when the files were listed', async () => {
  await bench.files({ 'd/a.txt': 'needle inside\n' });
  await bench.files({ '../outside/a.txt': 'needle outside\n' });
  await rename(path.join(bench.root, 'd'), path.join(bench.root, 'e'));
  await symlink(path.join(bench.root, '../outside'), path.join(bench.root, 'd'));
  const options = { pattern: 'needle', caseSensitive: true, context: 0, offset: 0, limit: 10 };
  const found = await searchFiles(bench.root, ['d/a.txt', 'e/a.txt'], options, new AbortController().signal);
  await rm(path.join(bench.root, '../outside'), { recursive: true });
  expect(found.page.map((one) => `${one.path}: ${one.text}`)).toEqual(['e/a.txt: needle inside']);
});
