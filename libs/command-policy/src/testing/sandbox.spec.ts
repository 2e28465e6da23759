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

  const run = (lines: readonly string[], programs: readonly string[], mode: 'reads' | 'boxed') =>
    sandbox.run(
      lines.map((line) => ({ line, programs: new Set(programs) })),
      mode,
    );

  it('notices every program, and every change, that no verdict names', async () => {
    const lines = [
      ...['pwn', 'awk \'BEGIN{system("pwn")}\'', 'cd evilrepo && git status', './pwn', 'touch /canary/new'],
      ...['echo x >> flink', 'touch ~/x', 'echo x > a.txt', 'rm b.txt', 'mkdir new', 'echo x >> AGENTS.md'],
    ];
    const programs = ['awk', 'cd', 'git', 'touch', 'echo', 'ls', 'cat', 'rm', 'mkdir'];
    const found = await run(['ls', ...lines, 'cat a.txt', 'git status'], programs, 'reads');
    expect(new Set(found.map(({ line }) => line))).toEqual(new Set(lines));
  });

  it('notices what is shown of the outside and of secrets', async () => {
    const lines = ['cat flink', 'ls link', 'cat .env', 'cat hidden/h.txt'];
    const found = await run(lines, ['cat', 'ls'], 'reads');
    expect(new Set(found.map(({ line }) => line))).toEqual(new Set(lines));
  });

  it('notices when work is lost, and nothing else, of lines for the box', async () => {
    const lost = [
      ...['rm -rf src docs lib work', 'rm -rf .git', 'git reset --hard; git clean -fdq', 'git stash clear'],
      ...[
        'git branch -D topic',
        'git tag -d v1',
        'find . -type f -exec rm {} +',
        'rm -rf ./*',
        'mv ./* /tmp',
      ],
    ];
    const kept = [
      'pwn',
      'echo x > a.txt',
      'rm -f b.txt',
      'git stash',
      'git add -A',
      'mv src other',
      'touch /canary/new',
    ];
    const found = await run([...lost, ...kept], [], 'boxed');
    expect(new Set(found.map(({ line }) => line))).toEqual(new Set(lost));
  });
});
