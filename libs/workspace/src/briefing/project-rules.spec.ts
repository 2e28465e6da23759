import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projectRules } from './project-rules.js';

let folder: string;
let workspace: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bullpen-rules-')));
  workspace = join(folder, 'ws');
  mkdirSync(workspace);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), content);
}

describe('rules of a project', () => {
  it('are its AGENTS.md and CLAUDE.md, with sizes and digests', async () => {
    put('AGENTS.md', 'Work on topic/*.\r\n');
    put('CLAUDE.md', '\ufeffUse tabs.');
    expect(await projectRules(workspace, [''])).toMatchObject([
      { path: 'AGENTS.md', bytes: 18, text: 'Work on topic/*.\n', cut: false, problem: null },
      { path: 'CLAUDE.md', text: 'Use tabs.', sha256: expect.stringMatching(/^[\da-f]{64}$/) },
    ]);
  });

  it('are not told twice where one file is a copy of the other or a link to it', async () => {
    put('AGENTS.md', 'Same.');
    symlinkSync('AGENTS.md', join(workspace, 'CLAUDE.md'));
    put('pkg/AGENTS.md', 'Same.');
    put('pkg/CLAUDE.md', 'Same.');
    const found = await projectRules(workspace, ['', 'pkg']);
    expect(found.map(({ path }) => path)).toEqual(['AGENTS.md', 'pkg/AGENTS.md']);
  });

  it('are cut in none of its characters when they are long, and say so; the nearest file stays whole', async () => {
    const korean = '규칙을 지키세요. '.repeat(1_800);
    const near = 'Only here. '.repeat(180);
    put('AGENTS.md', korean);
    put('pkg/a/AGENTS.md', near);
    const [root, nearest] = await projectRules(workspace, ['', 'pkg', 'pkg/a']);
    expect(nearest).toMatchObject({ text: near, cut: false });
    expect(root?.cut).toBe(true);
    expect(korean.startsWith(root?.text ?? '?')).toBe(true);
    expect(Buffer.byteLength(root?.text ?? '')).toBeGreaterThan(32_760);
    expect(root?.problem).toBe(
      `cut here: the first ${Buffer.byteLength(root?.text ?? '')} of ${Buffer.byteLength(korean)} bytes are above; the rest is in "AGENTS.md"`,
    );
  });

  it('are never read from outside of the workspace, through no link of any part of the path', async () => {
    writeFileSync(join(folder, 'secret'), 'top secret');
    mkdirSync(join(folder, 'out'));
    writeFileSync(join(folder, 'out', 'AGENTS.md'), 'top secret');
    symlinkSync(join(folder, 'secret'), join(workspace, 'AGENTS.md'));
    symlinkSync(join(folder, 'out'), join(workspace, 'pkg'));
    const found = await projectRules(workspace, ['', 'pkg', '..', '../out']);
    expect(JSON.stringify(found)).not.toContain('top secret');
    expect(found[0]).toMatchObject({
      path: 'AGENTS.md',
      text: '',
      problem: expect.stringContaining('outside'),
    });
  });

  it('are left out with a reason where there is no text: a folder, another encoding, a hidden file', async () => {
    put('AGENTS.md/x', '');
    put('a/AGENTS.md', Buffer.from([0xff, 0xfe, 0x41]));
    put('b/AGENTS.md', 'Hidden.');
    put('.bullpenignore', 'b/AGENTS.md\n');
    const problems = (await projectRules(workspace, ['', 'a', 'b', 'none'])).map(
      ({ path, text, problem }) => [path, text, problem],
    );
    expect(problems).toEqual([
      ['AGENTS.md', '', expect.stringContaining('folder')],
      ['a/AGENTS.md', '', 'it is not UTF-8 text'],
      ['b/AGENTS.md', '', expect.stringContaining('hidden')],
    ]);
  });
});
