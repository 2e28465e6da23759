import { symlink, truncate } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Json } from '@bullpen/contracts';
import { FileTracker } from './file-tracker.js';
import { readFileTool } from './read-file.js';
import { readToolOutputTool } from './read-tool-output.js';
import { workbench } from './testing/workbench.js';

const bench = workbench();

const tracker = new FileTracker();
const read = (args: Record<string, Json>) => bench.call(readFileTool({ tracker }), args);

describe('read_file', () => {
  it('numbers the lines, and leads on when there are more', async () => {
    await bench.files({ 'a b/각.txt': 'one\ntwo\nthree' });
    expect(await read({ path: 'a b/각.txt' })).toEqual({
      output: '1\tone\n2\ttwo\n3\tthree',
      isError: false,
    });
    expect((await read({ path: 'a b/각.txt', offset: 2, limit: 1 })).output).toBe(
      '2\ttwo\n… more lines; continue with offset 3',
    );
    expect((await read({ path: 'a b/각.txt', offset: 2, limit: 2 })).output).toBe('2\ttwo\n3\tthree');
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

  it('cuts a line of 5 MB, and says how long it is', async () => {
    await bench.files({ long: `${'각'.repeat(1_750_000)}\nnext` });
    const { output } = await read({ path: 'long' });
    expect(output).toBe(`1\t${'각'.repeat(2_000)} … [line cut: it has 5250000 bytes]\n2\tnext`);
  });

  it('reads a part of a file that is too large to be held', async () => {
    await bench.files({ large: `${'x'.repeat(99)}\n`.repeat(300_000) });
    const first = await read({ path: 'large', offset: 250_000, limit: 1 });
    expect(first.output).toBe(`250000\t${'x'.repeat(99)}\n… more lines; continue with offset 250001`);
    await bench.files({ endless: 'x'.repeat(30_000_000) });
    const { output } = await read({ path: 'endless' });
    expect(output).toMatch(/line cut: .*\n\[stopped after 10 MB; continue with offset 2\]$/);
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
      'Near names: "src/parser.ts", "src/parse.ts".',
    );
    expect((await read({ path: 'scr/parse.ts' })).output).toContain('Near names: "src"');
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
