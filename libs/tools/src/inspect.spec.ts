/** What tools say beforehand about a call: which paths it touches and what it changes, without doing it. */
import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { NO_RULES, type Json } from '@bullpen/contracts';
import { NO_SECRETS, type CallFacts } from '@bullpen/core';
import { aTask } from '@bullpen/testing';
import { createTools } from './create-tools.js';
import { toolsDeps } from './testing/tools-deps.js';
import { workbench } from './testing/workbench.js';

const bench = workbench();
const tools = createTools(toolsDeps());

/** What is known of a call before it runs, with the diff that whoever is asked is shown. */
async function inspect(name: string, args: Json): Promise<CallFacts & { diff?: string }> {
  const tool = tools.find((each) => each.name === name);
  const parsed = tool?.parse(args);
  if (!parsed?.ok || !parsed.call.inspect)
    throw new Error(`${name} cannot be inspected with ${JSON.stringify(args)}`);
  const context = {
    ...{ task: aTask(), callId: 'c', epoch: 1, workspacePath: bench.root },
    policy: NO_RULES,
    onOutput: () => undefined,
    masker: NO_SECRETS,
    children: async () => [],
    storedOutput: async () => null,
  };
  const facts = await parsed.call.inspect(context);
  const diff = await parsed.call.preview?.(context);
  return { ...facts, ...(diff !== undefined && { diff }) };
}

describe('before a call is decided', () => {
  it.each([
    ['read_file', {}],
    ['list_files', {}],
    ['search_files', { pattern: 'x' }],
  ])('%s names the path that it would open, as it resolves', async (name, more) => {
    await bench.files({ 'src/a.ts': 'a', 'secret/x': 'x', '.env': 'K=1', '.bullpenignore': 'secret/' });
    await symlink('/etc', path.join(bench.root, 'out'));
    await symlink('src', path.join(bench.root, 'in'));
    const paths = async (given: string) => (await inspect(name, { path: given, ...more })).paths;
    expect(await paths('./src/../in/a.ts')).toEqual([{ path: 'src/a.ts', access: 'read', place: 'inside' }]);
    expect(await paths('out/passwd')).toEqual([{ path: '/etc/passwd', access: 'read', place: 'outside' }]);
    expect(await paths('../x')).toMatchObject([{ place: 'outside' }]);
    expect(await paths('secret/x')).toEqual([{ path: 'secret/x', access: 'read', place: 'hidden' }]);
    expect(await paths('.env')).toEqual([{ path: '.env', access: 'read', place: 'protected' }]);
    expect(await paths('.')).toEqual([{ path: '.', access: 'read', place: 'inside' }]);
    expect(await paths('~/x')).toEqual([]);
  });

  it('write_file shows the change of a file, or the whole of a new one, and changes nothing', async () => {
    await bench.files({ 'a.txt': 'one\ntwo\nthree\n' });
    expect(await inspect('write_file', { path: 'a.txt', content: 'one\n2\nthree\n' })).toEqual({
      paths: [{ path: 'a.txt', access: 'write', place: 'inside' }],
      diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    });
    expect((await inspect('write_file', { path: 'new/b.txt', content: 'x\n' })).diff).toBe(
      '--- /dev/null\n+++ b/new/b.txt\n@@ -0,0 +1,1 @@\n+x\n',
    );
    expect(await readFile(path.join(bench.root, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
    await expect(readFile(path.join(bench.root, 'new/b.txt'))).rejects.toThrow('ENOENT');
  });

  it('edit_file shows what would become of the file, and nothing when the edit does not fit', async () => {
    await bench.files({ 'a.txt': 'one\r\ntwo\r\n' });
    const edit = (oldText: string) => inspect('edit_file', { path: 'a.txt', oldText, newText: '2' });
    expect((await edit('two')).diff).toContain('-two\r\n+2\r\n');
    expect(await edit('three')).toEqual({ paths: [{ path: 'a.txt', access: 'write', place: 'inside' }] });
  });

  it('a diff is bounded, and holds no secrets and no bytes', async () => {
    await bench.files({
      '.env': 'TOKEN=abc\n',
      'image.png': Buffer.from([0, 1, 2]),
      big: 'x\n'.repeat(400_000),
    });
    const write = (file: string, content: string) => inspect('write_file', { path: file, content });
    expect(await write('.env', 'A=1\n')).toEqual({
      paths: [{ path: '.env', access: 'write', place: 'protected' }],
    });
    expect((await write('image.png', 'text')).diff).toBeUndefined();
    expect((await write('big', 'y\n'.repeat(400_000))).diff).toBeUndefined();
    const { diff = '' } = await write('long.txt', 'line\n'.repeat(20_000));
    expect(diff.length).toBeLessThan(31_000);
    expect(diff).toMatch(/… \d+ more lines of the diff\n$/);
  });

  it('run_command gives its line and the folder that it starts in', async () => {
    await bench.files({ 'src/a.ts': 'a' });
    expect(await inspect('run_command', { command: 'ls -l', cwd: './src' })).toEqual({
      command: 'ls -l',
      cwd: 'src',
      paths: [{ path: 'src', access: 'read', place: 'inside' }],
    });
    expect((await inspect('run_command', { command: 'ls', cwd: '..' })).paths).toMatchObject([
      { place: 'outside' },
    ]);
  });
});

describe('what is hidden or secret', () => {
  it('is not found by a search or a listing, and not hinted at', async () => {
    await bench.files({
      'private/plan.txt': 'needle',
      'plan.txt': 'needle',
      '.env': 'needle',
      '.bullpenignore': 'private/',
    });
    const call = (name: string, args: Json) => {
      const tool = tools.find((each) => each.name === name);
      if (!tool) throw new Error(name);
      return bench.call(tool, args);
    };
    expect((await call('search_files', { pattern: 'needle' })).output).toMatch(/^1 match in 1 file/);
    expect((await call('search_files', { pattern: 'needle', path: '.env' })).output).toContain('.env:1:1');
    expect((await call('list_files', { recursive: true })).output).not.toContain('private');
    expect((await call('read_file', { path: 'privat' })).output).not.toContain('private');
    expect(await call('read_file', { path: 'private/plan.txt' })).toEqual({
      output: '"private/plan.txt" is hidden from agents by .bullpenignore.',
      isError: true,
    });
    expect((await call('write_file', { path: 'private/new', content: '' })).isError).toBe(true);
    expect((await call('run_command', { command: 'ls', cwd: 'private' })).output).toContain('hidden');
  });
});
