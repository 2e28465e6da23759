/** How much a command loads before it does anything: what makes it start slowly. Counts modules, as times differ from machine to machine. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFakeGateway, type FakeGateway } from '../test/fake-gateway.js';

const run = promisify(execFile);
const CLI = join(import.meta.dirname, '..');

let folder: string;
let gateway: FakeGateway;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bullpen-start-'));
  gateway = await startFakeGateway();
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

/** The modules that a command line loads, but for those of Node itself. */
async function loadedBy(args: readonly string[]): Promise<string[]> {
  const log = join(folder, `${args.join('-').replaceAll(/\W+/g, '-')}.txt`);
  await run(
    process.execPath,
    ['--import', join(CLI, 'test/log-modules.mjs'), join(CLI, 'bin/bullpen.js'), ...args],
    { env: { PATH: process.env['PATH'], LOADED_MODULES: log, BULLPEN_API_KEY: 'key' }, cwd: folder },
  );
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((url) => url.startsWith('file:'));
}

describe('what is loaded', () => {
  it('for the help is little more than the list of commands', async () => {
    const modules = await loadedBy(['--help']);
    expect(modules.length).toBeGreaterThan(5);
    expect(modules.length).toBeLessThanOrEqual(15);
    expect(modules.filter((url) => /zod|contracts|client/.test(url))).toEqual([]);
  });

  it('for a list is the client and a table: nothing that watches, asks or draws, and no server', async () => {
    const modules = await loadedBy(['tasks', 'list', '--url', gateway.url]);
    const own = modules.filter((url) => !url.includes('/node_modules/'));
    expect(own.length).toBeGreaterThan(40);
    expect(own.length).toBeLessThanOrEqual(116);
    expect(modules.length).toBeLessThanOrEqual(225);
    const foreign =
      /\/(people|live|chat|stack\/(?!up-file)|doctor)\/|log-update|libs\/(core|store|platform|queue|workspace)\//;
    expect(modules.filter((url) => foreign.test(url))).toEqual([]);
  });
});
