/** Clients that others make from the API reference: they compile under strict settings, and do their work on a real gateway. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.js';

const run = promisify(execFile);
const GATEWAY = join(import.meta.dirname, '../..');
const ROOT = join(GATEWAY, '../..');
const { resolve } = createRequire(import.meta.url);

const COMPILER_OPTIONS = {
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  skipLibCheck: true,
  outDir: 'out',
};

let bullpen: TestGateway;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bullpen-clients-'));
  bullpen = await startTestGateway();
  await cp(join(GATEWAY, 'test/clients'), folder, { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(
    join(folder, 'openapi.json'),
    await (await bullpen.call('/openapi.json', { key: null })).text(),
  );
});
afterAll(async () => {
  await bullpen?.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a client made by openapi-typescript', () => {
  it('compiles under strict settings, and submits, lists and cancels', async () => {
    await node(
      join(dirname(resolve('openapi-typescript/package.json')), 'bin/cli.js'),
      'openapi.json',
      '-o',
      'schema.ts',
    );
    expect(await compile('openapi-typescript.mts')).toEqual([]);
    await doesItsWork('openapi-typescript.mjs');
  });
});

describe('a client made by @hey-api/openapi-ts', () => {
  it('compiles under strict settings, and submits, lists and cancels', async () => {
    await writeFile(
      join(folder, 'openapi-ts.config.mjs'),
      `export default ${JSON.stringify({
        input: 'openapi.json',
        output: { path: 'hey', importFileExtension: '.js' },
        plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
        logs: { file: false },
      })}`,
    );
    await node(
      join(dirname(resolve('@hey-api/openapi-ts/package.json')), 'bin/run.js'),
      '-f',
      'openapi-ts.config.mjs',
    );
    // Its run time is the same for every document, and has faults of its own under `exactOptionalPropertyTypes`.
    const faults = (await compile('hey-api.mts')).filter((line) => !/^hey\/(client|core)\//.test(line));
    expect(faults).toEqual([]);
    await doesItsWork('hey-api.mjs');
  });
});

async function node(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', BULLPEN_URL: bullpen.url, BULLPEN_KEY: bullpen.key },
  });
  return stdout;
}

/** The faults that the compiler finds, one a line. */
async function compile(program: string): Promise<string[]> {
  await mkdir(join(folder, 'out'), { recursive: true });
  const project = `${program}.json`;
  await writeFile(
    join(folder, project),
    JSON.stringify({ compilerOptions: { ...COMPILER_OPTIONS, rootDir: '.' }, files: [program] }),
  );
  const output = await node(resolve('typescript/bin/tsc'), '-p', project).catch(
    (error: { stdout: string }) => error.stdout,
  );
  return output.split('\n').filter((line) => /^\S.*error TS/.test(line));
}

async function doesItsWork(program: string): Promise<void> {
  const did = JSON.parse(await node(join('out', program))) as { id: string };
  expect(did).toEqual({
    id: expect.stringMatching(/^task_/),
    listed: did.id,
    copied: true,
    state: 'cancelled',
    code: 'task_finished',
  });
}
