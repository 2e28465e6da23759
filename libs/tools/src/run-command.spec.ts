import { chmod, chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Json } from '@bullpen/contracts';
import type { ToolContext } from '@bullpen/core';
import { nobodyUser, unboxed, type BoxSpec, type Sandbox } from '@bullpen/workspace';
import { runCommandTool } from './run-command.js';
import { toolsDeps } from './testing/tools-deps.js';
import { workbench } from './testing/workbench.js';

const bench = workbench();

async function run(args: Record<string, Json>, more: Partial<ToolContext> = {}, sandbox = unboxed()) {
  const user = await nobodyUser();
  const workspacePath = path.join(bench.root, 'ws');
  await chmod(bench.root, 0o755);
  await mkdir(path.join(workspacePath, 'sub'), { recursive: true });
  if (user && process.getuid?.() === 0) await chown(workspacePath, user.uid, user.gid);
  const tool = runCommandTool(toolsDeps(bench.root, user, sandbox));
  return bench.call(tool, args, { workspacePath, ...more });
}

describe('run_command', () => {
  it('gives exit code and output, and counts any code but 0 as an error', async () => {
    expect(await run({ command: 'echo hi' })).toEqual({ output: 'exit code 0\nhi\n', isError: false });
    expect(await run({ command: 'echo no >&2; exit 2' })).toEqual({
      output: 'exit code 2\nno\n',
      isError: true,
    });
    expect(await run({ command: 'true' })).toEqual({ output: 'exit code 0\n(no output)', isError: false });
  });

  it('hands the files and hosts of the policy to the sandbox', async () => {
    const seen: BoxSpec[] = [];
    const watched: Sandbox = {
      level: 'none',
      start: (spec, signal) => {
        seen.push(spec);
        return unboxed().start(spec, signal);
      },
    };
    const policy = {
      files: { protect: ['db'], exceptions: ['AGENTS.md'] },
      network: { allow: ['registry.npmjs.org'], deny: ['*.test'] },
    };
    await run({ command: 'true' }, { policy }, watched);
    expect(seen).toMatchObject([policy]);
  });

  it('says what the sandbox took back and which hosts it refused, and why', async () => {
    const strict: Sandbox = {
      level: 'bubblewrap',
      start: async (spec, signal) => {
        const running = await unboxed().start(spec, signal);
        const found = { takenBack: ['.envrc'], refusedHosts: ['a.test:443 is not opened by the policy'] };
        const { anchor, output, ended } = running;
        const told = ended.then((end) => ({ ...end, ...found }));
        return { anchor, output, ended: told, signal: (name) => running.signal(name) };
      },
    };
    expect(await run({ command: 'echo hi' }, {}, strict)).toEqual({
      output:
        'exit code 0\nchanges of protected paths were taken back: .envrc\nrefused by the sandbox: a.test:443 is not opened by the policy\nhi\n',
      isError: false,
    });
  });

  it('says how a command died', async () => {
    expect(await run({ command: 'kill -KILL $$' })).toMatchObject({
      output: expect.stringMatching(/^killed by SIGKILL\n/),
      isError: true,
    });
    expect(await run({ command: 'echo a; sleep 300', timeoutMs: 3_000 })).toMatchObject({
      output: expect.stringMatching(/^timed out after 3000 ms.*\na\n/),
      isError: true,
    });
  });

  it('runs in a folder of the workspace, and nowhere else', async () => {
    expect((await run({ command: 'pwd', cwd: 'sub' })).output).toBe(`exit code 0\n${bench.root}/ws/sub\n`);
    expect(await run({ command: 'pwd', cwd: '..' })).toMatchObject({
      isError: true,
      output: expect.stringContaining('outside'),
    });
    expect(await run({ command: 'pwd', cwd: 'sup' })).toMatchObject({
      isError: true,
      output: expect.stringContaining('"sub"'),
    });
    await bench.files({ 'ws/file': '' });
    expect(await run({ command: 'pwd', cwd: 'file' })).toMatchObject({ isError: true });
  });

  it('passes its output on while it runs', async () => {
    const seen: string[] = [];
    await run({ command: 'echo one; echo two' }, { onOutput: (text) => seen.push(text) });
    expect(seen.join('')).toBe('one\ntwo\n');
  });

  it('takes the longest command that it lets through', async () => {
    const command = `: ${'각'.repeat(31_998)}`;
    expect(await run({ command })).toMatchObject({ isError: false });
    await expect(run({ command: `${command}x` })).rejects.toThrow(/command: /);
  });
});
