import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSandbox, sandboxContext, sandboxMissing, type Sandbox } from './sandbox.js';

const missing = sandboxMissing();
if (missing !== null && process.env['REQUIRE_SANDBOX'] === '1')
  throw new Error(`REQUIRE_SANDBOX=1, but ${missing}`);

(missing === null ? describe : describe.skip)('the sandbox for approved lines', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });
  afterAll(() => sandbox.close());

  it('notices every program and every change that no verdict names', async () => {
    const lines = [
      'pwn',
      'awk \'BEGIN{system("pwn")}\'',
      'cd evilrepo && git status',
      './pwn',
      'touch /canary/new',
      'echo x >> flink',
      'touch ~/x',
    ];
    const programs = new Set(['awk', 'cd', 'git', 'touch', 'echo', 'ls', 'cat']);
    const found = await sandbox.run(
      ['ls', ...lines, 'cat a.txt', 'echo x > a.txt'].map((line) => ({ line, programs })),
    );
    expect(new Set(found.map(({ line }) => line))).toEqual(new Set(lines));
  });

  it('knows where the links of its workspace lead', () => {
    const { placeOf } = sandboxContext();
    expect(['/workspace/a.txt', '/workspace/linkin/x', '/workspace/linkin/../a'].map(placeOf)).toEqual([
      'inside',
      'inside',
      'inside',
    ]);
    expect(['/workspace/link/x', '/workspace/sub/../../canary', '/workspace/flink'].map(placeOf)).toEqual([
      'outside',
      'outside',
      'outside',
    ]);
  });
});
