import { chmod, readFile, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Json } from '@bullpen/contracts';
import type { ToolContext } from '@bullpen/core';
import { aTask } from '@bullpen/testing';
import { editFileTool } from './edit-file.js';
import { FileTracker } from './file-tracker.js';
import { readFileTool } from './read-file.js';
import { writeFileTool } from './write-file.js';
import { workbench } from './testing/workbench.js';

const bench = workbench();

/** The tools of one worker; a new one knows nothing of what was read before. */
function worker() {
  const tracker = new FileTracker();
  return {
    read: (args: Record<string, Json>, more?: Partial<ToolContext>) =>
      bench.call(readFileTool({ tracker }), args, more),
    write: (args: Record<string, Json>, more?: Partial<ToolContext>) =>
      bench.call(writeFileTool({ tracker }), args, more),
    edit: (args: Record<string, Json>, more?: Partial<ToolContext>) =>
      bench.call(editFileTool({ tracker }), args, more),
  };
}
const contentOf = (name: string) => readFile(path.join(bench.root, name), 'utf8');

describe('write_file', () => {
  it('creates a file with its folders, and replaces what it wrote itself', async () => {
    const { write } = worker();
    expect((await write({ path: 'new/a', content: 'x\ny' })).output).toBe(
      'Created new/a (2 lines, 3 bytes).',
    );
    expect((await write({ path: 'new/a', content: 'z\n' }, { callId: 'call_2' })).output).toBe(
      'Overwrote new/a (1 line, 2 bytes).',
    );
    expect(await contentOf('new/a')).toBe('z\n');
  });

  it('does not overwrite what the task has not read, what another task has read, or what changed since', async () => {
    await bench.files({ a: 'old' });
    const { read, write } = worker();
    expect(await write({ path: 'a', content: 'n' })).toMatchObject({
      isError: true,
      output: expect.stringContaining('read it with read_file first'),
    });
    await read({ path: 'a' }, { task: aTask({ id: 'task_2' }) });
    expect((await write({ path: 'a', content: 'n' })).isError).toBe(true);
    await read({ path: 'a' });
    await bench.files({ a: 'changed' });
    expect(await write({ path: 'a', content: 'n' })).toMatchObject({
      isError: true,
      output: expect.stringContaining('changed on disk'),
    });
    expect(await contentOf('a')).toBe('changed');
    await read({ path: 'a' });
    expect(await write({ path: 'a', content: 'n' })).toMatchObject({ isError: false });
  });

  it('replaces no file of which a part was never seen, and says where to read on', async () => {
    const text = `${'a line of some length\n'.repeat(1_000)}the end`;
    await bench.files({ long: text });
    const { read, write, edit } = worker();
    await read({ path: 'long' });
    const refused = await write({ path: 'long', content: 'short' });
    expect(refused).toMatchObject({ isError: true, output: expect.stringContaining('not read all of long') });
    expect(await contentOf('long')).toBe(text);
    // A part that was seen may be changed, and what follows the directions may be replaced.
    for (
      let page = 0, offset = Number(/from offset (\d+)/.exec(refused.output)?.[1]);
      offset > 0;
      page += 1
    ) {
      const { output } = await read({ path: 'long', offset });
      offset = Number(/continue with offset (\d+)/.exec(output)?.[1] ?? 0);
      expect(page).toBeLessThan(10);
    }
    expect(
      (await edit({ path: 'long', oldText: 'the end', newText: 'The end' }, { callId: 'call_2' })).isError,
    ).toBe(false);
    expect(await write({ path: 'long', content: 'short' }, { callId: 'call_3' })).toMatchObject({
      isError: false,
    });
  });

  it('replaces no file of which only the head or a few lines were asked for', async () => {
    await bench.files({ a: 'one\ntwo\nthree\n' });
    const parts: Record<string, Json>[] = [{ limit: 2 }, { offset: 2 }, { offset: 1, limit: 1 }];
    for (const args of parts) {
      const { read, write, edit } = worker();
      await read({ path: 'a', ...args });
      expect(await write({ path: 'a', content: 'n' })).toMatchObject({ isError: true });
      expect(await edit({ path: 'a', oldText: 'two', newText: 'TWO' }, { callId: 'call_2' })).toMatchObject({
        isError: false,
      });
      expect(await write({ path: 'a', content: 'n' }, { callId: 'call_3' })).toMatchObject({ isError: true });
      await bench.files({ a: 'one\ntwo\nthree\n' });
    }
  });

  it('takes no offence at a file that was only touched', async () => {
    await bench.files({ a: 'old' });
    const { read, write } = worker();
    await read({ path: 'a' });
    await bench.files({ a: 'old' });
    expect((await write({ path: 'a', content: 'n' })).isError).toBe(false);
  });

  it('may be repeated by another worker after a crash', async () => {
    await worker().write({ path: 'a', content: 'x\n' });
    const again = await worker().write({ path: 'a', content: 'x\n' });
    expect(again).toEqual({
      output: 'a already has exactly this content (1 line, 2 bytes).',
      isError: false,
    });
  });

  it('keeps the mode, writes through a link inside, and nothing outside or in .git', async () => {
    await bench.files({ run: '#!', '.git/config': '' });
    await chmod(path.join(bench.root, 'run'), 0o755);
    await symlink('run', path.join(bench.root, 'link'));
    await symlink('/tmp', path.join(bench.root, 'out'));
    const { read, write } = worker();
    await read({ path: 'run' });
    expect((await write({ path: 'link', content: 'new' })).output).toContain('Overwrote run');
    expect((await stat(path.join(bench.root, 'run'))).mode & 0o777).toBe(0o755);
    for (const given of ['out/x', '.git/hooks/pre-commit', '../x', '.bullpen/x', '.']) {
      expect(await write({ path: given, content: '' })).toMatchObject({ isError: true });
    }
  });
});

describe('edit_file', () => {
  it('replaces the one place, or all of them when asked', async () => {
    await bench.files({ a: 'x = 1\ny = 1\n' });
    const { edit } = worker();
    expect((await edit({ path: 'a', oldText: 'y = 1', newText: 'y = $&2' })).output).toBe(
      'Edited a at line 2.',
    );
    expect(await contentOf('a')).toBe('x = 1\ny = $&2\n');
    const all = await edit(
      { path: 'a', oldText: ' = ', newText: ': ', replaceAll: true },
      { callId: 'call_2' },
    );
    expect(all.output).toBe('Edited a at 2 places, the first at line 1.');
    expect(await contentOf('a')).toBe('x: 1\ny: $&2\n');
  });

  it('refuses a text that is not unique, and says where it is', async () => {
    await bench.files({ a: 'x\nx\n' });
    const { output, isError } = await worker().edit({ path: 'a', oldText: 'x', newText: 'y' });
    expect(isError).toBe(true);
    expect(output).toContain('2 times in a (lines 1, 2)');
  });

  it('shows the nearest text and its line when there is no exact one', async () => {
    await bench.files({ a: `${'// filler\n'.repeat(40)}  const total = sum(items);\n  return total;\n` });
    const { edit } = worker();
    const near = await edit({ path: 'a', oldText: 'const totals = sum(item);\nreturn total;', newText: 'x' });
    expect(near).toMatchObject({
      isError: true,
      output: expect.stringContaining('closest text, at line 41:\n  const total = sum(items);'),
    });
    const blanks = await edit({
      path: 'a',
      oldText: 'const total = sum(items);\nreturn total;',
      newText: 'x',
    });
    expect(blanks.output).toContain('Only spaces or line endings differ, at line 41');
    const nothing = await edit({ path: 'a', oldText: '%%%%%%', newText: 'x' });
    expect(nothing.output).toContain('Neither oldText nor anything like it');
  });

  it('keeps CR LF line ends, which read_file does not show', async () => {
    await bench.files({ a: 'one\r\ntwo\r\nthree\r\n' });
    await worker().edit({ path: 'a', oldText: 'one\ntwo', newText: '1\n2' });
    expect(await contentOf('a')).toBe('1\r\n2\r\nthree\r\n');
  });

  it('does not touch a file that changed since it was read, a missing one, or one that is not UTF-8', async () => {
    await bench.files({ a: 'x', latin: Buffer.from([0xe9, 0x61]), binary: Buffer.from([0, 0x61]) });
    const { read, edit } = worker();
    await read({ path: 'a' });
    await bench.files({ a: 'x and more' });
    expect(await edit({ path: 'a', oldText: 'x', newText: 'y' })).toMatchObject({
      isError: true,
      output: expect.stringContaining('changed on disk'),
    });
    expect(await edit({ path: 'b', oldText: 'x', newText: 'y' })).toMatchObject({ isError: true });
    for (const name of ['latin', 'binary']) {
      expect(await edit({ path: name, oldText: 'a', newText: 'y' })).toMatchObject({
        isError: true,
        output: expect.stringContaining('UTF-8'),
      });
    }
    expect(await contentOf('a')).toBe('x and more');
  });

  it('that was cut off after its write is not applied twice by the next worker', async () => {
    await bench.files({ a: 'import a\nrest\n', b: 'x = 1\n' });
    const insertion = { path: 'a', oldText: 'import a', newText: 'import a\nimport b' };
    const change = { path: 'b', oldText: 'x = 1', newText: 'x = 2' };
    for (const args of [insertion, change]) {
      expect((await worker().edit(args)).output).toMatch(/^Edited/);
      expect(await worker().edit(args)).toMatchObject({
        isError: false,
        output: expect.stringContaining('Already applied'),
      });
    }
    expect(await contentOf('a')).toBe('import a\nimport b\nrest\n');
    expect(await contentOf('b')).toBe('x = 2\n');
  });

  it('that is repeated by the same worker is known by its call, and another call is not mistaken for it', async () => {
    await bench.files({ a: 'x\n' });
    const { edit } = worker();
    const args = { path: 'a', oldText: 'x', newText: 'xx', replaceAll: true };
    expect((await edit(args)).output).toMatch(/^Edited/);
    expect((await edit(args)).output).toMatch(/^Already applied/);
    expect((await edit(args, { callId: 'call_2' })).output).toMatch(/^Edited/);
    expect(await contentOf('a')).toBe('xxxx\n');
  });

  it('with a wrong old text is an error for a task that knows the file, though the new text is there', async () => {
    await bench.files({ a: 'the end }\n' });
    const { read, edit } = worker();
    await read({ path: 'a' });
    expect(await edit({ path: 'a', oldText: 'wrong', newText: '}' })).toMatchObject({ isError: true });
  });

  it('of two tasks at once leaves no change lost', async () => {
    await bench.files({ a: 'one two\n' });
    const { edit } = worker();
    await Promise.all([
      edit({ path: 'a', oldText: 'one', newText: '1' }, { task: aTask({ id: 'task_1' }), callId: 'call_1' }),
      edit({ path: 'a', oldText: 'two', newText: '2' }, { task: aTask({ id: 'task_2' }), callId: 'call_2' }),
    ]);
    expect(await contentOf('a')).toBe('1 2\n');
  });

  it('is done with a hard case of similarity in bounded time', async () => {
    await bench.files({ a: `${'a '.repeat(50)}\n`.repeat(60_000) });
    const before = process.cpuUsage();
    expect(
      (await worker().edit({ path: 'a', oldText: `${'a '.repeat(49)}b\nq`, newText: 'x' })).isError,
    ).toBe(true);
    // Processor time, so that a busy machine is no failure.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(10_000);
  });
});
