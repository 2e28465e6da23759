import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCli } from '../../test/fake-terminal.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'index-cli-'));
  writeFileSync(join(folder, 'queue.ts'), 'export class Queue { push() {} }\n');
  writeFileSync(
    join(folder, 'use.ts'),
    `import { Queue } from './queue.js';\nexport function use() { new Queue().push() }\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) => runCli(['index', ...args, '--dir', folder]);

describe('bullpen index', () => {
  it('reads a folder and says what is known of it', async () => {
    const { code, out } = await run('--stats');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^2 files read in .*\ntypescript 2; 0 generated files\n3 symbols, 1 import/),
    ]);
    expect(JSON.parse((await run('--json')).out)).toMatchObject({ files: 2, calls: 2, resolved: 2 });
  });

  it('finds symbols, callers, callees and imports', async () => {
    expect((await run('find', 'push')).out).toBe('queue.ts:1 method Queue.push\n');
    expect((await run('calls', 'Queue.push')).out).toContain('  use (use.ts:2), call at use.ts:2\n');
    expect((await run('calls', 'use.ts:use', '--callees')).out).toContain('Queue.push (queue.ts:1)');
    expect((await run('imports', 'queue.ts', '--importers')).out).toBe('use.ts:1 -> queue.ts\n');
  });

  it('says what is not there, with an exit code', async () => {
    expect(await run('find', 'nothing')).toMatchObject({
      code: 5,
      out: 'No symbol has nothing in its name.\n',
    });
    expect(await run('calls', 'nothing')).toMatchObject({
      code: 5,
      err: expect.stringContaining('There is no symbol nothing.'),
    });
    expect(await run('imports', 'gone.ts')).toMatchObject({
      code: 5,
      err: expect.stringContaining('gone.ts is not in the index'),
    });
  });
});
