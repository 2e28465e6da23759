import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EMPTY_LAYER } from '@bullpen/core';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli } from '../../test/fake-terminal.js';

let gateway: FakeGateway;
let folder: string;
beforeEach(async () => {
  gateway = await startFakeGateway();
  folder = mkdtempSync(path.join(tmpdir(), 'policy-cli-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await gateway.close();
});

const run = (args: string[], more: Parameters<typeof runCli>[1] = {}) =>
  runCli(['policy', ...args], { env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1' }, ...more });

describe('policy test', () => {
  it.each([
    ['npm test', 'yes', 0, 'Runs without asking'],
    ['npm test', 'no', 4, 'Needs approval'],
    ['rm -rf src', 'yes', 4, 'Needs approval'],
    ['git status', 'no', 0, 'Runs without asking'],
    ['rm -rf /', 'yes', 6, 'Refused'],
  ])('%s, in a sandbox: %s: exit code %i, without any server', async (line, boxed, code, words) => {
    const result = await run(['test', line, '--boxed', boxed]);
    expect([result.code, result.out.startsWith(words)]).toEqual([code, true]);
    expect(gateway.requests).toEqual([]);
  });

  it('finds out whether this machine has a sandbox when it is not told', async () => {
    const sandboxed = (await run(['test', 'npm test'])).code === 0;
    expect(sandboxed).toBe(existsSync('/usr/bin/bwrap'));
    const env = { BULLPEN_URL: gateway.url, SANDBOX: 'off' };
    expect((await run(['test', 'npm test'], { env })).code).toBe(4);
  });

  it('reads JSON strings and prints one verdict a line, in their order', async () => {
    const lines = ['ls', 'rm -rf "a\nb"', 'echo "ü" | sudo tee /etc/x'];
    const stdin = lines.map((line) => JSON.stringify(line)).join('\n');
    const { code, out } = await run(['test', '--stdin', '--json', '--boxed', 'no'], {
      stdin: `${stdin}\n\n`,
    });
    const verdicts = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(0);
    expect(verdicts.map(({ command }) => command)).toEqual(lines);
    expect(verdicts.map(({ decision }) => decision)).toEqual(['approve', 'ask', 'ask']);
    expect(Object.keys(verdicts[1] ?? {})).toEqual(['command', 'decision', 'reason', 'rule', 'span']);
  });

  it('goes by other settings, and says what is wrong with them', async () => {
    const file = path.join(folder, 'settings.json');
    writeFileSync(file, JSON.stringify({ rules: { commands: { allow: ['npm ci'], deny: ['npm test'] } } }));
    expect((await run(['test', 'npm ci', '--settings', file])).code).toBe(0);
    expect((await run(['test', 'npm test', '--settings', file])).code).toBe(6);
    writeFileSync(file, JSON.stringify({ rule: {} }));
    expect(await run(['test', 'ls', '--settings', file])).toMatchObject({ code: 2 });
  });

  it('goes by the files of a workspace and by PATH when it is given one', async () => {
    writeFileSync(path.join(folder, 'a.txt'), 'x\n');
    symlinkSync('/etc/hostname', path.join(folder, 'b.txt'));
    mkdirSync(path.join(folder, 'bin'));
    writeFileSync(path.join(folder, 'bin/wc'), '#!/bin/sh\n', { mode: 0o755 });
    const test = async (line: string, searchPath: string) => {
      const env = { PATH: searchPath };
      return (await run(['test', line, '--workspace', folder, '--boxed', 'no'], { env })).code;
    };
    expect(await test('cat a*.txt', '/usr/bin:/bin')).toBe(0);
    expect(await test('cat *.txt', '/usr/bin:/bin')).toBe(4);
    expect((await run(['test', 'cat ./a*.txt', '--boxed', 'no'])).code).toBe(0);
    expect((await run(['test', 'cat *.txt', '--workspace', folder, '--boxed', 'yes'])).code).toBe(0);
    expect(await test('wc a.txt', '/usr/bin:/bin')).toBe(0);
    expect(await test('wc a.txt', 'bin:/usr/bin:/bin')).toBe(4);
    expect((await run(['test', 'ls', '--workspace', path.join(folder, 'nowhere')])).code).toBe(2);
  });

  it.each([[[]], [['ls', '--stdin']]])('refuses %j', async (args) => {
    expect((await run(['test', ...args], { stdin: '' })).code).toBe(2);
  });

  it('names a line of stdin that is no JSON string', async () => {
    const { code, err } = await run(['test', '--stdin'], { stdin: '"ls"\nls -l\n' });
    expect([code, err]).toEqual([2, expect.stringContaining('Line 2')]);
  });
});

describe('layers', () => {
  const view = {
    scope: 'installation',
    key: '',
    layer: { ...EMPTY_LAYER, approvals: { alwaysAllowWrite: false }, locked: ['alwaysAllowWrite'] },
    revision: 3,
    updatedAt: '2026-01-01T00:00:00.000Z',
    updatedBy: 'ann',
  };
  const path_ = '/v1/policies/installation';

  it('are shown with what they say', async () => {
    gateway.answers.set('/v1/policies', { data: [view] });
    expect((await run(['show'])).out).toMatch(
      /installation \(revision 3.*\n {2}alwaysAllowWrite: off, locked/,
    );
  });

  it('are changed from what they are, at the revision that was read', async () => {
    gateway.answers.set(path_, view);
    await run(['allow', 'npm ci']);
    await run(['deny', 'write_file', '--kind', 'tool']);
    await run(['allow', 'Registry.npmjs.org', '--kind', 'host']);
    await run(['deny', '*', '--kind', 'host']);
    await run(['set', '--on', 'alwaysAllowMcp', '--lock', 'alwaysAllowBrowser']);
    const puts = gateway.requests.filter(({ method }) => method === 'PUT').map(({ body }) => body);
    expect(puts).toMatchObject([
      { revision: 3, layer: { ...view.layer, rules: { commands: { allow: ['npm ci'] } } } },
      { revision: 3, layer: { rules: { tools: { deny: ['write_file'] } } } },
      { revision: 3, layer: { rules: { network: { allow: ['registry.npmjs.org'] } } } },
      { revision: 3, layer: { rules: { network: { deny: ['*'] } } } },
      {
        revision: 3,
        layer: {
          approvals: { alwaysAllowWrite: false, alwaysAllowMcp: true },
          locked: ['alwaysAllowWrite', 'alwaysAllowBrowser'],
        },
      },
    ]);
  });

  it.each([
    [['set']],
    [['set', '--on', 'everything']],
    [['show', '--scope', 'world']],
    [['show', '--scope', 'task']],
  ])('refuse %j as misuse', async (args) => {
    expect((await run(args)).code).toBe(2);
  });
});
