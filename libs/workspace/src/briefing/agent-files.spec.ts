import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AGENTS_FOLDER } from '@bullpen/contracts';
import { agentFilesIn } from './agent-files.js';

let outside: string;
let root: string;
let folder: string;
beforeEach(() => {
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'bullpen-agents-')));
  root = join(outside, 'repo');
  folder = join(root, AGENTS_FOLDER);
  mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(outside, { recursive: true, force: true }));

const found = async () =>
  (await agentFilesIn(root, AGENTS_FOLDER)).map((file) => ({
    ...file,
    path: file.path.slice(AGENTS_FOLDER.length + 1),
  }));

describe('the agent files of a folder', () => {
  it('are its Markdown files in the order of their names, without what is hidden or below', async () => {
    writeFileSync(join(folder, 'b.md'), 'B\r\n');
    writeFileSync(join(folder, 'A.MD'), 'A');
    writeFileSync(join(folder, '.c.md'), 'C');
    writeFileSync(join(folder, 'notes.txt'), 'D');
    mkdirSync(join(folder, 'more'));
    expect(await found()).toEqual([
      { path: 'A.MD', text: 'A' },
      { path: 'b.md', text: 'B\n' },
    ]);
    expect(await agentFilesIn(root, 'nowhere')).toEqual([]);
  });

  it('are never read from outside, nor when they are no text, too large, empty, or no files: each says why', async () => {
    writeFileSync(join(outside, 'key'), 'secret');
    symlinkSync(join(outside, 'key'), join(folder, 'a-link.md'));
    symlinkSync('../../../key', join(folder, 'b-relative.md'));
    symlinkSync('/dev/zero', join(folder, 'c-device.md'));
    writeFileSync(join(folder, 'd-large.md'), 'x'.repeat(10 * 1_024 * 1_024));
    writeFileSync(join(folder, 'e-bytes.md'), Buffer.from([0x2d, 0xff, 0xfe, 0x80]));
    writeFileSync(join(folder, 'f-nul.md'), '---\0---');
    execFileSync('mkfifo', [join(folder, 'g-pipe.md')]);
    mkdirSync(join(folder, 'h-folder.md'));
    writeFileSync(join(folder, 'i-empty.md'), ' \n');
    symlinkSync('nothing', join(folder, 'j-dangling.md'));
    writeFileSync(join(folder, 'k-fine.md'), 'Fine.');
    const files = await found();
    expect(files.map((file) => [file.path, 'text' in file ? file.text : typeof file.problem])).toEqual([
      ...'a-link b-relative c-device d-large e-bytes f-nul g-pipe h-folder i-empty j-dangling'
        .split(' ')
        .map((name) => [`${name}.md`, 'string']),
      ['k-fine.md', 'Fine.'],
    ]);
    expect(JSON.stringify(files)).not.toContain('secret');
    expect(files.find(({ path }) => path === 'd-large.md')).toMatchObject({
      problem: 'is too large: 10485760 bytes, where 65536 are allowed, and 262144 for all files',
    });
  });

  it('are not read through a folder that leads out', async () => {
    rmSync(join(root, '.bullpen'), { recursive: true });
    mkdirSync(join(outside, 'others/agents'), { recursive: true });
    writeFileSync(join(outside, 'others/agents/a.md'), 'secret');
    symlinkSync('../others', join(root, '.bullpen'));
    expect(JSON.stringify(await found())).not.toContain('secret');
  });

  it('are only so many, and so large together', async () => {
    for (let n = 10; n < 40; n += 1) writeFileSync(join(folder, `${n}.md`), 'x'.repeat(60_000));
    const files = await found();
    expect(files.filter((file) => 'text' in file)).toHaveLength(4);
    expect(files).toHaveLength(21);
    expect(files.at(-1)).toMatchObject({ problem: 'holds 10 files more than the 20 that are read' });
  });
});
