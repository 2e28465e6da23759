import { symlink, truncate } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Json } from '@bullpen/contracts';
import { Masker, OUTPUT_CAP } from '@bullpen/core';
import fc from 'fast-check';
import { FileTracker } from './file-tracker.js';
import { readFileTool } from './read-file.js';
import { readToolOutputTool } from './read-tool-output.js';
import { workbench } from './testing/workbench.js';

const bench = workbench();

const tracker = new FileTracker();
const read = (args: Record<string, Json>) => bench.call(readFileTool({ tracker }), args);

/** What an agent has in the end that goes on as each page says. */
async function readThrough(path: string): Promise<string> {
  let text = '';
  let args: Record<string, Json> | null = { path };
  for (let page = 0; args !== null; page += 1) {
    const { output, isError } = await read(args);
    expect([isError, output.length < OUTPUT_CAP, page < 1_000]).toEqual([false, true, true]);
    const lines = output.split('\n');
    const to = /^… .*?continue with offset (\d+)(?: and column (\d+))?/.exec(lines.at(-1) ?? '');
    for (const line of lines) {
      const [, number, shown = ''] = /^(\d+)\t(.*)$/s.exec(line) ?? [];
      if (number === undefined) continue;
      const goesOn = Number(args['column'] ?? 1) > 1 && line === lines[1];
      text += `${goesOn || number === '1' ? '' : '\n'}${shown}`;
    }
    args = to ? { path, offset: Number(to[1]), column: Number(to[2] ?? 1) } : null;
  }
  return text;
}

describe('read_file', () => {
  it('numbers the lines, and leads on when there are more', async () => {
    await bench.files({ 'a b/각.txt': 'one\ntwo\nthree' });
    expect(await read({ path: 'a b/각.txt' })).toEqual({
      output: '1\tone\n2\ttwo\n3\tthree',
      isError: false,
    });
    expect((await read({ path: 'a b/각.txt', offset: 2, limit: 1 })).output).toBe(
      '2\ttwo\n… line 2 of 3; continue with offset 3',
    );
    expect((await read({ path: 'a b/각.txt', offset: 2, limit: 2 })).output).toBe('2\ttwo\n3\tthree');
  });

  it('gives the whole text however often it is asked: what an earlier answer held may be in the conversation no longer', async () => {
    await bench.files({ a: 'one\ntwo' });
    const answers = [await read({ path: 'a' }), await read({ path: 'a' }), await read({ path: 'a' })];
    expect(answers.map(({ output }) => output)).toEqual(answers.map(() => '1\tone\n2\ttwo'));
  });

  it('says when a file is empty, ends earlier, or has other line ends', async () => {
    await bench.files({ empty: '', short: 'x\n', dos: '\uFEFFa\r\nb\r\n' });
    expect(await read({ path: 'empty' })).toEqual({ output: 'empty is empty (0 bytes).', isError: false });
    expect(await read({ path: 'short', offset: 5 })).toMatchObject({
      isError: true,
      output: expect.stringContaining('ends before line 5'),
    });
    expect((await read({ path: 'dos' })).output).toBe('1\ta\n2\tb\n[lines end in CR LF]');
  });

  it('gives a page of whole lines from the line asked for, and names the line that comes next', async () => {
    const lines = Array.from({ length: 1_000 }, (_, at) => `line ${at + 1} ${'x'.repeat(at % 80)}`);
    await bench.files({ long: lines.join('\n') });
    const { output } = await read({ path: 'long', offset: 301 });
    expect(output.length).toBeLessThan(OUTPUT_CAP);
    const shown = output.split('\n');
    const next = Number(
      /^… lines 301-(\d+) of 1000; continue with offset (\d+)$/.exec(shown.pop() ?? '')?.[2],
    );
    expect(shown).toEqual(lines.slice(300, next - 1).map((line, at) => `${at + 301}\t${line}`));
    expect(shown.length).toBeGreaterThan(100);
  });

  it('leaves nothing out of what follows its own directions, whatever the lines are like', async () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.integer({ min: 4_000, max: 30_000 }).map((length) => '👍é각x'.repeat(length / 5)),
    );
    const text = fc
      .tuple(fc.array(line, { maxLength: 40 }), fc.boolean(), fc.constantFrom('\n', '\r\n'))
      .map(
        ([parts, ends, eol]) =>
          parts.map((part) => part.replace(/[\0\r\n\uFEFF]/g, '')).join(eol) + (ends ? eol : ''),
      );
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        await bench.files({ any: content });
        const read = await readThrough('any');
        expect(read).toBe(content.replace(/\r\n/g, '\n').replace(/\n$/, ''));
      }),
      { numRuns: 40 },
    );
  });

  it('goes on within a line that is longer than a page, or past it, and can begin anywhere in it', async () => {
    await bench.files({ long: `${'각'.repeat(1_750_000)}\nnext`, one: '👍'.repeat(9_000) });
    const first = await read({ path: 'long' });
    expect(first.output).toBe(
      `1\t${'각'.repeat(8_998)}\n… line 1 of 2 goes on; continue with offset 1 and column 8999, or with offset 2 for the next line`,
    );
    expect((await read({ path: 'long', column: 1_750_000 })).output).toBe(
      '[line 1 from character 1750000 on]\n1\t각\n2\tnext',
    );
    expect(await read({ path: 'long', column: 1_750_002 })).toMatchObject({
      isError: true,
      output: expect.stringContaining('has no character 1750002 in line 1'),
    });
    // Characters are what people count; half of one is never given.
    expect((await read({ path: 'one' })).output).toMatch(
      /^1\t(?:👍){4499}\n… line 1 of 1 goes on; continue with offset 1 and column 4500$/u,
    );
  });

  it('masks the part of a value that a page begins with', async () => {
    const masker = new Masker([{ name: 'DB', value: 'Tr0ub4dor-Kx9' }]);
    await bench.files({ key: `${'x'.repeat(20)}Tr0ub4dor-Kx9 and more\nTr0u` });
    const { output } = await bench.call(readFileTool({ tracker }), { path: 'key', column: 25 }, { masker });
    expect(output).toBe('[line 1 from character 25 on]\n1\t[secret DB] and more\n2\tTr0u');
  });

  it('reads a part of a file that is too large to be held', async () => {
    await bench.files({ large: `${'x'.repeat(99)}\n`.repeat(300_000), endless: 'x'.repeat(30_000_000) });
    const first = await read({ path: 'large', offset: 250_000, limit: 1 });
    expect(first.output).toBe(
      `250000\t${'x'.repeat(99)}\n… line 250000 of 300000; continue with offset 250001`,
    );
    const { output } = await read({ path: 'endless', column: 29_999_990 });
    expect(output).toBe(`[line 1 from character 29999990 on]\n1\t${'x'.repeat(11)}`);
    expect((await read({ path: 'endless' })).output).toMatch(/continue with offset 1 and column 8999$/);
  });

  it('shows pictures and PDFs as such, by their content, and says in words what they are', async () => {
    const png = Buffer.alloc(40);
    png.write('89504e470d0a1a0a0000000d49484452', 'hex');
    png.writeUInt32BE(320, 16);
    png.writeUInt32BE(200, 20);
    const huge = Buffer.from(png);
    huge.writeUInt32BE(9_000, 16);
    const pdf = Buffer.from('%PDF-1.7\n<< /Type /Page >>\n%%EOF\n');
    await bench.files({ 'a.dat': png, 'b.pdf': pdf, 'huge.png': huge, 'c.svg': '<svg/>' });
    expect(await read({ path: 'a.dat' })).toEqual({
      ...{ isError: false, output: 'a.dat: image (png), 320x200, 40 bytes' },
      media: [png],
    });
    expect(await read({ path: 'b.pdf' })).toMatchObject({
      output: 'b.pdf: PDF, 1 page, 33 bytes',
      media: [pdf],
    });
    expect(await read({ path: 'huge.png' })).toMatchObject({ isError: true });
    expect(await read({ path: 'c.svg' })).toEqual({ isError: false, output: '1\t<svg/>' });
  });

  it('refuses binary files, also large ones with no end', async () => {
    await bench.files({ binary: Buffer.from([1, 0, 10]), sparse: '' });
    await truncate(path.join(bench.root, 'sparse'), 5_000_000_000);
    for (const name of ['binary', 'sparse']) {
      expect(await read({ path: name })).toMatchObject({
        isError: true,
        output: expect.stringContaining('binary file'),
      });
    }
  });

  it('sends the model on from a folder, a wrong name and a path outside', async () => {
    await bench.files({ 'src/parser.ts': '', 'src/parse.ts': '', 'src/zebra': '', '.bullpen/x': '' });
    await symlink('/etc/hostname', path.join(bench.root, 'out'));
    expect((await read({ path: 'src' })).output).toContain('use list_files');
    expect((await read({ path: 'src/parsers.ts' })).output).toContain(
      'Similar names: "src/parser.ts", "src/parse.ts".',
    );
    expect((await read({ path: 'scr/parse.ts' })).output).toContain('Similar names: "src"');
    expect((await read({ path: 'src/qqq' })).output).toContain('use list_files');
    for (const given of ['../x', '/etc/passwd', 'out', '.bullpen/x'])
      expect((await read({ path: given })).isError).toBe(true);
  });
});

describe('read_tool_output', () => {
  const stored = {
    storedOutput: async (id: string) => (id === 'call_9' ? `${'a'.repeat(9_000)}👍end` : null),
  };
  const readOutput = (args: Record<string, Json>) => bench.call(readToolOutputTool(), args, stored);

  it('gives ranges that fit a page and end between characters', async () => {
    const { output } = await readOutput({ callId: 'call_9', offset: 8_990, limit: 11 });
    expect(output).toBe(
      'call_9: 9005 characters (showing 8991-9000)\naaaaaaaaaa\n… 5 more characters; continue with offset 9000',
    );
    expect((await readOutput({ callId: 'call_9', offset: 9_000 })).output).toBe(
      'call_9: 9005 characters (showing 9001-9005)\n👍end',
    );
  });

  it('says what to do about an unknown call or a range past the end', async () => {
    expect(await readOutput({ callId: 'call_8' })).toMatchObject({ isError: true });
    expect(await readOutput({ callId: 'call_9', offset: 9_005 })).toMatchObject({
      isError: true,
      output: expect.stringContaining('below 9005'),
    });
  });
});
