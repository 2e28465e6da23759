import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSandbox, sandboxMissing, type Sandbox } from './sandbox.js';

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

  it('notices what is shown of the outside and of secrets, and what is protected', async () => {
    const lines = [
      'cat flink',
      'ls link',
      'cat .env',
      'cp .env c.txt',
      'echo x >> AGENTS.md',
      'cat hidden/h.txt',
    ];
    const programs = new Set(['cat', 'ls', 'cp', 'echo']);
    const found = await sandbox.run(lines.map((line) => ({ line, programs })));
    expect(new Set(found.map(({ line }) => line))).toEqual(new Set(lines));
  });
});
